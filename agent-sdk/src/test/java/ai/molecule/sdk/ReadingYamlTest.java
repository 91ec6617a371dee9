package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** YAML as maps and lists, and what is refused before it costs anything. */
class ReadingYamlTest {

    @Test
    void a_document_becomes_maps_lists_and_plain_values() {
        assertThat(BoundedYaml.parse("\uFEFFa: [1, two, &x {b: yes}, *x]\nc: {<<: *x}", true))
                .isEqualTo(
                        Map.of("a", List.of(1, "two", Map.of("b", true), Map.of("b", true)), "c", Map.of("b", true)));
        assertThat(BoundedYaml.parse("", true)).isNull();
        assertThat(BoundedYaml.parse("{a: 1, a: 2}", false)).isEqualTo(Map.of("a", 2));
    }

    @Test
    void what_costs_more_than_it_may_is_refused_before_a_value_is_made() {
        var laughs = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 17; i++) {
            laughs.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(3)));
        }

        refused(laughs.toString(), "more than 100000 values");
        refused("a: !!int '" + "7".repeat(1_000_000) + "'", "a number of more than 1000 characters");
        refused("&a [*a]", "nested too deep");
        refused("[".repeat(100_000), "Nesting Depth exceeded");
        refused("a: " + "x".repeat(BoundedYaml.MAX_CHARS), "larger than 1 MiB");
        refused("{a: 1, a: 2}", "while constructing a mapping");
        refused("a: !!int x", "For input string");
        refused("a: !!java.net.URL [http://x]", "Global tag is not allowed");
    }

    private static void refused(String yaml, String reason) {
        assertThatThrownBy(() -> BoundedYaml.parse(yaml, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
