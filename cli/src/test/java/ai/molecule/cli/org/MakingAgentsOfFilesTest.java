package ai.molecule.cli.org;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.cli.adapter.AdapterCommand;
import ai.molecule.runtime.LocalAgent;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule import .claude/agents}. */
class MakingAgentsOfFilesTest {

    @TempDir
    private Path home;

    private final Screen screen = new Screen();
    private Path agents;

    @BeforeEach
    void write() throws IOException {
        agents = Files.createDirectories(home.resolve(".claude/agents"));
        Files.writeString(agents.resolve("code-reviewer.md"), """
                ---
                name: code-reviewer
                description: Reviews code. Use it after: each change
                tools: Read, Grep, Bash(git diff:*), Task
                model: sonnet
                ---

                You review code.

                ---
                Be short.
                """);
        Files.writeString(agents.resolve("README.md"), "# Our agents\n");
    }

    @Test
    void a_file_becomes_an_agent_with_its_prompt_and_the_tools_that_are_ours() {
        var files = new SubagentFiles(screen.console(), "langgraph", "Team").read(agents);

        assertThat(files.getString("code-reviewer/system-prompt.md")).isEqualTo("You review code.\n\n---\nBe short.\n");
        var workspace = new JsonObject(files.getString("org.yaml"))
                .getJsonArray("workspaces")
                .getJsonObject(0);
        assertThat(workspace.getString("role")).isEqualTo("Reviews code. Use it after: each change");
        assertThat(workspace.getString("model")).isNull();
        var config = new JsonObject(files.getString("code-reviewer/config.yaml"));
        assertThat(config.getJsonArray("tools").getList().toString()).isEqualTo("[read, search]");
        assertThat(screen.err())
                .contains(
                        "no tool of ours is Task",
                        "left out, because ours cannot be limited like that: Bash(git diff:*)",
                        "model sonnet is a name of Claude Code's",
                        "README.md is left out");
    }

    @Test
    void a_file_after_a_byte_order_mark_is_read_as_one_without() throws IOException {
        Files.writeString(
                agents.resolve("marked.md"),
                "\uFEFF---\nname: marked\ndescription: Has a mark\n---\nYou are marked.\n");
        var files = new SubagentFiles(screen.console(), "langgraph", "Team").read(agents);

        assertThat(files.getString("marked/system-prompt.md")).isEqualTo("You are marked.\n");
    }

    @Test
    void a_description_over_several_lines_and_a_list_of_tools_are_read_as_they_are_meant() throws IOException {
        Files.writeString(agents.resolve("tester.md"), """
                ---
                name: 'tester'
                description: >-
                  Tests what others built.
                  Use it before a release.
                tools:
                  - Read
                  - "Bash"
                ---
                You test.
                """);

        var files = new SubagentFiles(screen.console(), "langgraph", "Team").read(agents);

        var config = new JsonObject(files.getString("tester/config.yaml"));
        assertThat(config.getString("name")).isEqualTo("tester");
        assertThat(config.getString("description")).isEqualTo("Tests what others built. Use it before a release.");
        assertThat(config.getJsonArray("tools").getList().toString()).isEqualTo("[read, run]");
    }

    @Test
    void an_agent_gets_no_tool_that_its_file_limits_or_forbids() throws IOException {
        assertThat(toolsOf("tools: [\"Read\", \"Bash(git diff:*, git log:*)\"]"))
                .isEqualTo("[read]");
        assertThat(toolsOf("tools: Bash(git diff:*)")).isEqualTo("[]");
        assertThat(toolsOf("disallowedTools: Write, Bash(rm:*)")).isEqualTo("[read, edit, list, glob, search, fetch]");
        assertThat(toolsOf("permissionMode: plan")).isEqualTo("[read, list, glob, search, fetch]");
    }

    private String toolsOf(String line) throws IOException {
        Files.writeString(
                agents.resolve("limited.md"), "---\nname: limited\ndescription: d\n" + line + "\n---\nprompt\n");
        var files = new SubagentFiles(screen.console(), "langgraph", "Team").read(agents);
        return new JsonObject(files.getString("limited/config.yaml"))
                .getJsonArray("tools")
                .getList()
                .toString();
    }

    @Test
    void a_long_description_is_shortened_for_the_role_and_whole_in_the_prompt() throws IOException {
        String description = "prüft ".repeat(260) + "END";
        Files.writeString(
                agents.resolve("long.md"), "---\nname: long\ndescription: " + description + "\n---\nYou check.\n");

        var files = new SubagentFiles(screen.console(), "langgraph", "Team").read(agents);

        String role = new JsonObject(files.getString("org.yaml"))
                .getJsonArray("workspaces")
                .getJsonObject(1)
                .getString("role");
        assertThat(role).endsWith("prüft…").hasSizeLessThan(1_000);
        assertThat(role.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(980, 1_000);
        assertThat(files.getString("long/system-prompt.md"))
                .contains(description)
                .endsWith("You check.\n");
        assertThat(screen.err()).contains("long.md: its description is longer than 1,000 bytes");
    }

    @Test
    void a_file_that_cannot_be_used_is_left_out_and_the_others_are_imported() throws IOException {
        Files.writeString(agents.resolve("a-twin.md"), "---\nname: Code Reviewer\ndescription: d\n---\n");
        Files.write(agents.resolve("latin.md"), new byte[] {'-', (byte) 0xfc});
        Files.writeString(agents.resolve("marked.md"), "\uFEFF---\nname: marked\ndescription: d\n---\nprompt\n");

        var files = new SubagentFiles(screen.console(), "langgraph", "Team").read(agents);

        assertThat(files.fieldNames()).contains("code-reviewer/config.yaml", "marked/config.yaml");
        assertThat(screen.err())
                .contains(
                        "code-reviewer.md is left out: it has the name of another",
                        "latin.md is left out: it cannot be read");
    }

    @Test
    void the_program_they_were_written_for_knows_its_own_names_of_models() {
        var files = new SubagentFiles(screen.console(), "claude-code", "Team").read(agents);

        assertThat(new JsonObject(files.getString("org.yaml"))
                        .getJsonArray("workspaces")
                        .getJsonObject(0)
                        .getString("model"))
                .isEqualTo("sonnet");
    }

    @Test
    void what_is_written_to_a_folder_is_an_agent_that_starts() throws Exception {
        Path team = home.resolve("team");

        assertThat(new CommandLine(new ImportAgentsCommand(
                                screen.console(), new MoleculeHome(home, home.resolve("runtime.jar"))))
                        .execute(agents.toString(), "--to", team.toString()))
                .isZero();

        assertThat(screen.out()).isEqualTo("./molecule dev " + team.resolve("code-reviewer") + "\n");
        try (var agent = LocalAgent.start(
                team.resolve("code-reviewer"),
                home.resolve("work"),
                Map.of("OPENAI_BASE_URL", "http://127.0.0.1:1", "MODEL_PROVIDER", "m", "TIER", "3"),
                AdapterCommand::adapterOf)) {
            assertThat(agent.name()).isEqualTo("code-reviewer");
        }
    }

    @Test
    void a_folder_without_agents_is_told() throws Exception {
        Path empty = Files.createDirectories(home.resolve("empty"));

        assertThatThrownBy(() -> new SubagentFiles(screen.console(), "langgraph", "Team").read(empty))
                .isInstanceOf(LaunchFailure.class)
                .hasMessageContaining("There are no agents in");
    }
}
