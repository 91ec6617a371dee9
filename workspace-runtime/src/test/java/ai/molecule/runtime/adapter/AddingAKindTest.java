package ai.molecule.runtime.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.AdapterCheck;
import ai.molecule.runtime.PreflightFailure;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kinds of agents that are none of the house, from jars beside the configuration; and those of the house, tried by the same trial. */
class AddingAKindTest {

    @TempDir
    private Path folder;

    @Test
    void a_kind_of_a_jar_is_found_and_keeps_to_the_contract() throws Exception {
        jar(ShoutingAdapter.class.getName());

        assertThat(trial("shouting")).allMatch(AdapterTrial.Finding::isKept);
    }

    @Test
    void a_kind_that_nobody_has_ends_the_start_with_a_sentence() {
        assertThatThrownBy(() -> trial("shouting"))
                .isInstanceOf(PreflightFailure.class)
                .hasMessageContaining("runtime shouting cannot run here, only cli, delegate, echo,");
    }

    @Test
    void a_jar_that_names_a_class_it_does_not_have_does_so_too() throws Exception {
        jar("nobody.Knows");

        assertThatThrownBy(() -> trial("shouting"))
                .isInstanceOf(PreflightFailure.class)
                .hasMessageContaining("a jar's adapter cannot be used");
    }

    @Test
    void a_kind_that_mixes_up_or_says_nothing_is_told() throws Exception {
        jar(SilentAdapter.class.getName());

        assertThat(trial("silent"))
                .filteredOn(finding -> !finding.isKept())
                .extracting(AdapterTrial.Finding::problem)
                .contains("it said nothing", "its skill has no id, name or description");
    }

    @ParameterizedTest
    @ValueSource(strings = "echo")
    void the_kinds_of_the_house_keep_to_the_contract(String name) throws Exception {
        assertThat(trial(name)).allMatch(AdapterTrial.Finding::isKept);
    }

    private List<AdapterTrial.Finding> trial(String adapter) throws IOException {
        Files.writeString(
                folder.resolve("config.yaml"), "name: A\nruntime: echo\nruntime_config:\n  adapter: " + adapter + "\n");
        return AdapterCheck.of(folder, folder.resolve("work"), Map.of(), runtime -> runtime);
    }

    private void jar(String adapter) throws IOException {
        Path adapters = Files.createDirectories(folder.resolve("adapters"));
        try (var jar = new JarOutputStream(Files.newOutputStream(adapters.resolve("mine.jar")))) {
            jar.putNextEntry(new JarEntry("META-INF/services/" + Adapter.class.getName()));
            jar.write(adapter.getBytes(StandardCharsets.UTF_8));
        }
    }

    private record Saying(Skill skill, boolean silent) implements AgentExecutor {
        @Override
        public void answer(Prompt prompt, Reply reply) {
            reply.text(silent ? "" : prompt.text().toUpperCase(Locale.ROOT));
        }
    }

    /** Written by somebody else. */
    public static final class ShoutingAdapter implements Adapter {
        @Override
        public String name() {
            return "shouting";
        }

        @Override
        public AgentExecutor start(AdapterContext context) {
            return new Saying(new Skill("shout", "Shout", "Says it louder.", List.of()), false);
        }
    }

    /** Written by somebody who read nothing. */
    public static final class SilentAdapter implements Adapter {
        @Override
        public String name() {
            return "silent";
        }

        @Override
        public AgentExecutor start(AdapterContext context) {
            return new Saying(new Skill("", "", "", List.of()), true);
        }
    }
}
