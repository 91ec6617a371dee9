package ai.molecule.sdk.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a plugin, a template, an organisation and a channel may look like. */
class ValidatingTest {

    @TempDir
    private Path temp;

    @Test
    void a_good_plugin_has_nothing_wrong() throws IOException {
        write("plugin.yaml", """
                name: notes
                version: 1.0
                author: somebody
                runtimes: [claude-code, langgraph]
                sha256: 4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945
                """);
        write("skills/take-notes/SKILL.md", """
                ---
                name: take-notes
                description: writes things down
                metadata: {a: b}
                ---
                # Notes
                """);

        assertThat(PluginValidation.of(temp)).isEmpty();
    }

    static Stream<Arguments> manifests() {
        return Stream.of(
                Arguments.of("name: ' '", "'name' is required"),
                Arguments.of("[]", "must be a mapping"),
                Arguments.of("a: [", "is no YAML"),
                Arguments.of("a: !!java.net.URL [\"http://x\"]", "is no YAML"),
                Arguments.of("a: 1\na: 2", "is no YAML"),
                Arguments.of("{name: n, author: 7}", "'author' must be text"),
                Arguments.of("{name: n, tags: x}", "'tags' must be a list"),
                Arguments.of("{name: n, sha256: ABC}", "64 lower case hex digits"),
                Arguments.of("{name: n, runtimes: [cobol]}", "unknown runtime 'cobol'"),
                Arguments.of(
                        "{name: n, description: AKIAABCDEFGHIJKLMNOP}", "'description' looks like an AWS access key"),
                Arguments.of("{name: n, tags: [x, 'password=hunter2hunter2']}", "'tags[1]' looks like a password"));
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void a_bad_manifest_is_told(String yaml, String sentence) throws IOException {
        write("plugin.yaml", yaml);

        assertThat(sentences(PluginValidation.of(temp))).contains(sentence);
    }

    static Stream<Arguments> skills() {
        return Stream.of(
                Arguments.of("no frontmatter", "must begin with frontmatter"),
                Arguments.of("---\nname: a", "does not end"),
                Arguments.of("---\nname: other\ndescription: d\n---", "must be the folder's: skill"),
                Arguments.of("---\nname: Skill_\ndescription: d\n---", "lower case letters"),
                Arguments.of("---\nname: skill\n---", "'description' is required"),
                Arguments.of("---\nname: skill\ndescription: " + "d".repeat(1025) + "\n---", "1024 characters"),
                Arguments.of("---\nname: skill\ndescription: d\nmetadata: 1\n---", "'metadata' must be a mapping"));
    }

    @ParameterizedTest
    @MethodSource("skills")
    void a_bad_skill_is_told(String markdown, String sentence) throws IOException {
        write("plugin.yaml", "name: n");
        write("skills/skill/SKILL.md", markdown);

        assertThat(sentences(PluginValidation.of(temp))).contains(sentence);
    }

    static Stream<Arguments> templates() {
        Function<Path, List<Complaint>> workspace = TemplateValidation::workspace;
        Function<Path, List<Complaint>> org = TemplateValidation::org;
        Function<Path, List<Complaint>> channel = TemplateValidation::channel;
        return Stream.of(
                Arguments.of(workspace, "{name: n, runtime: langgraph, tier: 2}", ""),
                Arguments.of(workspace, "{name: n}", "'runtime' is required"),
                Arguments.of(workspace, "{name: n, runtime: x}", "must be one of autogen"),
                Arguments.of(workspace, "{name: n, runtime: crewai, tier: 4}", "must be 1, 2 or 3"),
                Arguments.of(
                        workspace,
                        "{name: n, runtime: crewai, runtime_config: {timeout: x}}",
                        "runtime_config: 'timeout' must be a number"),
                Arguments.of(org, "{name: n, workspaces: [{name: a, children: [{name: b}]}]}", ""),
                Arguments.of(org, "{name: n, workspaces: []}", "not empty"),
                Arguments.of(
                        org,
                        "{name: n, workspaces: [{name: a, children: [{tier: 1}]}]}",
                        "workspaces[0]: children[0]: 'name' is required"),
                Arguments.of(
                        org,
                        "{name: n, workspaces: [{name: a, workspace_access: read_only}]}",
                        "needs a 'workspace_dir'"),
                Arguments.of(org, "{name: n, workspaces: [{name: a, external: true}]}", "needs a 'url'"),
                Arguments.of(
                        org, "{name: n, workspaces: [{name: a, schedules: [{prompt: p}]}]}", "'cron_expr' is required"),
                Arguments.of(org, "{name: n, workspaces: [{name: a, plugins: [1]}]}", "list of texts"),
                Arguments.of(channel, "{type: telegram, config: {bot_token: t}, enabled: true}", ""),
                Arguments.of(channel, "[{\"type\": \"telegram\"}]", "[0]: config: 'bot_token' is required"),
                Arguments.of(channel, "{type: fax}", "must be one of telegram"));
    }

    @ParameterizedTest
    @MethodSource("templates")
    void templates_organisations_and_channels_are_checked(
            Function<Path, List<Complaint>> check, String yaml, String sentence) throws IOException {
        List<Complaint> wrong = check.apply(write("file.yaml", yaml));

        if (sentence.isEmpty()) {
            assertThat(wrong).isEmpty();
        } else {
            assertThat(sentences(wrong)).contains(sentence);
        }
    }

    @Test
    void a_file_that_is_not_there_is_told() {
        assertThat(sentences(PluginValidation.of(temp))).contains("is missing");
        assertThat(sentences(TemplateValidation.org(temp))).contains("org.yaml", "cannot be read");
    }

    private static String sentences(List<Complaint> complaints) {
        return complaints.toString();
    }

    private Path write(String name, String text) {
        try {
            Path file = temp.resolve(name);
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
