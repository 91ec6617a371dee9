package ai.molecule.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Agents and the provisioner read YAML each by themselves, and refuse the same: what one takes the other does not choke on. */
class BoundingYamlAlikeTest {

    private static final String NUMBER = "1".repeat(BoundedYaml.NUMBER_MAX_CHARS + 1);

    static Stream<Arguments> documents() {
        return Stream.of(
                Arguments.of("a mapping", "a: [1, two]\nb: {c: yes}", true),
                Arguments.of("JSON", "{\"a\": [1.5, null, true]}", true),
                Arguments.of("as deep as may be", nested(BoundedYaml.DEPTH_MAX), true),
                Arguments.of("deeper", nested(BoundedYaml.DEPTH_MAX + 2), false),
                Arguments.of("many aliases", aliases(BoundedYaml.ALIASES_MAX + 1), false),
                Arguments.of("aliases of aliases", laughs(), false),
                Arguments.of("too many values", "[" + "x,".repeat(BoundedYaml.VALUES_MAX + 1) + "]", false),
                Arguments.of("a long number", "a: " + NUMBER, false),
                Arguments.of("a key that is a long number", NUMBER + ": a", false),
                Arguments.of("a long text", "a: \"" + NUMBER + "\"", true),
                Arguments.of("a key twice", "{a: 1, a: 2}", false),
                Arguments.of("a tag of Java's", "!!java.net.URL [\"http://127.0.0.1/\"]", false),
                Arguments.of("too large", "a: " + "x".repeat(BoundedYaml.MAX_CHARS), false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("documents")
    void both_readers_take_and_refuse_the_same(String what, String yaml, boolean taken) {
        assertThat(provisionerTakes(yaml)).as("provisioner: " + what).isEqualTo(taken);
        assertThat(agentTakes(yaml)).as("agent: " + what).isEqualTo(taken);
    }

    private static boolean provisionerTakes(String yaml) {
        try {
            BoundedYaml.parse(yaml);
            return true;
        } catch (YamlRefused refused) {
            return false;
        }
    }

    private static boolean agentTakes(String yaml) {
        try {
            ai.molecule.sdk.BoundedYaml.parse(yaml, true);
            return true;
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }

    private static String nested(int levels) {
        return "[".repeat(levels) + "]".repeat(levels);
    }

    private static String aliases(int number) {
        return "a: &a [x]\nb: [" + "*a,".repeat(number) + "]";
    }

    private static String laughs() {
        var text = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 17; i++) {
            text.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }
        return text.toString();
    }
}
