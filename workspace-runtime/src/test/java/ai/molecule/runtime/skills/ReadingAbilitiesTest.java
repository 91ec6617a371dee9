package ai.molecule.runtime.skills;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Skills and plugins as they lie in folders, good ones and others. */
class ReadingAbilitiesTest {

    @TempDir
    private Path home;

    @Test
    void a_skill_is_its_front_matter_and_its_body() throws Exception {
        write("skills/counting/SKILL.md", """
                ---
                name: Counting
                description: Counts things.
                tags: [math, basics]
                examples: how many?
                ---

                One, two.
                """);

        assertThat(read("counting").skills())
                .containsExactly(new SkillFile(
                        "counting",
                        "Counting",
                        "Counts things.",
                        List.of("math", "basics"),
                        List.of("how many?"),
                        "One, two."));
    }

    @Test
    void a_skill_after_a_byte_order_mark_is_read_as_one_without() throws Exception {
        write("skills/x/SKILL.md", "\uFEFF---\r\nname: Counting\r\ndescription: Counts.\r\n---\r\nOne, two.");

        assertThat(read("x").skills())
                .containsExactly(new SkillFile("x", "Counting", "Counts.", List.of(), List.of(), "One, two."));
    }

    @Test
    void front_matter_that_unfolds_without_end_says_nothing() throws Exception {
        var laughs = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 17; i++) {
            laughs.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(3)));
        }
        write("skills/x/SKILL.md", "---\n" + laughs + "tags: *a16\nname: Laughing\n---\nBody.");

        assertThat(read("x").skills()).containsExactly(new SkillFile("x", "x", "", List.of(), List.of(), "Body."));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "---\\nname: [\\n---\\nBody.|x|Body.",
                "---\\n- a list\\n---\\nBody.|x|Body.",
                "---\\nname: Open|x|---\\nname: Open",
                "Body alone.|x|Body alone."
            })
    void a_skill_whose_front_matter_is_malformed_has_none(String text, String name, String body) throws Exception {
        write("skills/x/SKILL.md", text.replace("\\n", "\n"));

        SkillFile skill = read("x").skills().getFirst();
        assertThat(skill.name()).isEqualTo(name);
        assertThat(skill.body()).isEqualTo(body.replace("\\n", "\n"));
        assertThat(skill.description()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"claude-code,false", "'[claude_code, langgraph]',true", "'*',true", "LangGraph,true", "'\"*\"',true"})
    void a_skill_for_other_runtimes_is_left_out(String runtime, boolean suits) throws Exception {
        write("skills/x/SKILL.md", "---\nruntime: " + (runtime.equals("*") ? "'*'" : runtime) + "\n---\nBody.");

        assertThat(read("x").skills()).hasSize(suits ? 1 : 0);
    }

    @Test
    void the_skills_a_config_names_count_in_its_order_and_no_others() throws Exception {
        write("skills/a/SKILL.md", "A");
        write("skills/b/SKILL.md", "B");
        write("skills/.hidden/SKILL.md", "H");
        write("skills/empty/notes.txt", "no skill");

        assertThat(read().skills()).isEmpty();
        assertThat(Abilities.read(
                                home, home.resolve("none"), List.of("b", "empty", "missing", "../b", "a"), "langgraph")
                        .skills())
                .extracting(SkillFile::id)
                .containsExactly("b", "a");
    }

    @Test
    void a_plugin_brings_rules_fragments_and_skills() throws Exception {
        write("plugins/plain/plugin.yaml", "name: plain\nruntimes: [claude_code, langgraph]\n");
        write("plugins/plain/rules/b.md", "Rule B.");
        write("plugins/plain/rules/a.md", "Rule A.");
        write("plugins/plain/think.md", "Think.");
        write("plugins/plain/README.md", "For people.");
        write("plugins/plain/skills/writing/SKILL.md", "Write.");
        write("plugins/other/plugin.yaml", "runtimes: [claude-code]");
        write("plugins/other/rules/x.md", "Not for us.");

        var found = read();

        assertThat(found.plugins())
                .extracting(Plugin::name, Plugin::rules, Plugin::fragments)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("plain", List.of("Rule A.", "Rule B."), List.of("Think.")));
        assertThat(found.skills()).extracting(SkillFile::id).containsExactly("writing");
    }

    @Test
    void the_agents_own_goes_before_what_is_shared_under_the_same_name() throws Exception {
        write("plugins/p/rules/r.md", "Own.");
        write("shared/p/rules/r.md", "Shared.");
        write("shared/q/skills/s/SKILL.md", "Shared skill.");
        write("skills/s/SKILL.md", "Own skill.");

        var found = Abilities.read(home, home.resolve("shared"), List.of("s"), "langgraph");

        assertThat(found.plugins()).extracting(Plugin::rules).containsExactly(List.of("Own."), List.of());
        assertThat(found.skills()).extracting(SkillFile::body).containsExactly("Own skill.");
    }

    @Test
    void what_nobody_meant_for_a_model_is_left_out() throws Exception {
        write("skills/big/SKILL.md", "x".repeat(TextFile.BYTES_MAX + 1));
        Files.createDirectories(home.resolve("skills/folder/SKILL.md"));

        assertThat(read("big", "folder").skills()).isEmpty();
    }

    private Abilities read(String... names) {
        return Abilities.read(home, home.resolve("none"), List.of(names), "langgraph");
    }

    private void write(String path, String text) throws IOException {
        Path file = home.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
