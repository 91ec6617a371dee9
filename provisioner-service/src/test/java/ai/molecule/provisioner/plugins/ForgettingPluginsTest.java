package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a plugin wrote into its agent's memory goes with it, what a person wrote stays. */
class ForgettingPluginsTest {

    private static final PluginName NOTES = new PluginName("notes");

    @Test
    void a_block_ends_where_the_text_of_its_file_ends() {
        String memory = "Mine\n\n# Plugin: notes / fragment: more.md\n\n# A heading\nof the plugin\n\nMine too\n";

        assertThat(AgentMemory.filesNamed(memory, NOTES)).containsExactly("more.md");
        assertThat(AgentMemory.without(memory, NOTES, Map.of("more.md", "# A heading\nof the plugin\n")))
                .isEqualTo("Mine\n\nMine too\n");
    }

    @Test
    void where_the_text_was_changed_it_ends_before_the_next_heading() {
        String memory = "# Plugin: notes / rule: first.md\n\nchanged by hand\n# Mine\nstays\n";

        assertThat(AgentMemory.without(memory, NOTES, Map.of("rules/first.md", "as it was")))
                .isEqualTo("# Mine\nstays\n");
        assertThat(AgentMemory.without(memory, NOTES, Map.of())).isEqualTo("# Mine\nstays\n");
    }

    @Test
    void a_heading_that_names_no_plain_file_reads_none() {
        String memory = "# Plugin: notes / rule: ../../.auth_token\nx\n";

        assertThat(AgentMemory.filesNamed(memory, NOTES)).isEmpty();
        assertThat(AgentMemory.without(memory, NOTES, Map.of())).isEmpty();
    }

    @Test
    void plugins_whose_names_begin_alike_are_told_apart() {
        String memory = "# Plugin: notes-too / rule: a.md\n\nstays";

        assertThat(AgentMemory.without(memory, NOTES, Map.of())).isEqualTo(memory);
    }
}
