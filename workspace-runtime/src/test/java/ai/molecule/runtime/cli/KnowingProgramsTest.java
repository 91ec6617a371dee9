package ai.molecule.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of ours that write what {@code codex} and {@code gemini} write, and note how they were started. */
class KnowingProgramsTest {

    /** A program is known by its task: another test of the same time shall not end it. */
    private static final String TASK = "task-" + UUID.randomUUID();

    private static final String CODEX_SAYS = """
            {"type":"thread.started","thread_id":"t-1"}
            {"type":"item.completed","item":{"type":"error","message":"no metadata"}}
            {"type":"item.completed","item":{"type":"mcp_tool_call","server":"molecule","tool":"list_peers","arguments":{},"result":{"content":[{"type":"text","text":"Ann"}]},"error":null}}
            {"type":"item.completed","item":{"type":"agent_message","text":"Ann is there."}}
            {"type":"turn.completed"}""";

    private static final String GEMINI_SAYS = """
            {"type":"init","session_id":"g-1"}
            {"type":"message","role":"user","content":"go"}
            {"type":"message","role":"assistant","content":"Let me ","delta":true}
            {"type":"message","role":"assistant","content":"look.","delta":true}
            {"type":"tool_use","tool_name":"mcp_molecule_list_peers","tool_id":"1","parameters":{}}
            {"type":"tool_result","tool_id":"1","status":"success","output":"Ann"}
            {"type":"message","role":"assistant","content":"Ann.","delta":true}
            {"type":"result","status":"success"}""";

    @TempDir
    private Path folder;

    private final RecordingReply reply = new RecordingReply();

    @Test
    void codex_is_told_of_tools_and_models_without_a_secret_in_its_words_and_goes_on_in_its_session() throws Exception {
        program("codex", CODEX_SAYS);
        var executor = executor("codex", Permission.EDIT);

        executor.answer(prompt("go"), reply);
        executor.answer(prompt("more"), new RecordingReply());

        assertThat(reply.answer()).isEqualTo("Ann is there.");
        assertThat(Files.readAllLines(folder.resolve("started")))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith(
                                        "exec --json --skip-git-repo-check --sandbox workspace-write --config mcp_servers.molecule={")
                                .contains(
                                        "\"MOLECULE_WORKSPACE_TOKEN\"",
                                        "default_tools_approval_mode=\"approve\",startup_timeout_sec=120,required=true")
                                .endsWith(
                                        "base_url=\"http://127.0.0.1:1/v1\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}"),
                        second -> assertThat(second).endsWith(" resume t-1 -"))
                .noneMatch(words -> words.contains("the-token") || words.contains("the-key"));
    }

    @Test
    void gemini_finds_its_tools_in_a_home_of_its_own_and_goes_on_in_its_session() throws Exception {
        program("gemini", GEMINI_SAYS);
        var executor = executor("gemini-cli", Permission.ASK);

        executor.answer(prompt("go"), reply);
        executor.answer(prompt("more"), new RecordingReply());

        assertThat(reply.answer()).isEqualTo("Let me look.\n\nAnn.");
        assertThat(Files.readAllLines(folder.resolve("started")))
                .containsExactly(
                        "--output-format stream-json --skip-trust --approval-mode auto_edit",
                        "--output-format stream-json --skip-trust --approval-mode auto_edit --resume g-1");
        assertThat(Files.readString(folder.resolve(".molecule/gemini/.gemini/settings.json")))
                .contains("\"MOLECULE_WORKSPACE_TOKEN\":\"$MOLECULE_WORKSPACE_TOKEN\"")
                .doesNotContain("the-token");
    }

    @Test
    void what_they_may_do_follows_the_tier_unless_it_is_configured() {
        assertThat(List.of(1, 2, 3, 4, 9))
                .extracting(tier -> Permission.of("", tier))
                .containsExactly(Permission.READ, Permission.EDIT, Permission.ASK, Permission.ALL, Permission.ALL);
        assertThat(Permission.of("read", 4)).isEqualTo(Permission.READ);
        assertThatThrownBy(() -> Permission.of("yolo", 3))
                .isInstanceOf(NotReady.class)
                .hasMessageContaining("permission_mode is yolo");
        assertThat(KnownProgram.CLAUDE.words("", Permission.ALL, true))
                .endsWith("--permission-mode", "bypassPermissions");
        assertThat(KnownProgram.CODEX.words("m", Permission.READ, true))
                .endsWith("--model", "m", "--sandbox", "read-only");
    }

    @Test
    void codex_goes_without_its_sandbox_where_that_does_not_work_and_the_tier_lets_commands_run_without_one()
            throws Exception {
        program("codex", CODEX_SAYS, "echo 'bwrap: setting up uid map: Operation not permitted' >&2; exit 1");

        assertThat(startedWith(new ProgramAllowance(Permission.ASK, 3, Long.MAX_VALUE)))
                .contains(" --sandbox danger-full-access ");
        assertThat(startedWith(new ProgramAllowance(Permission.READ, 3, Long.MAX_VALUE)))
                .contains(" --sandbox read-only ");
        assertThatThrownBy(() -> executor("codex", new ProgramAllowance(Permission.EDIT, 2, Long.MAX_VALUE)))
                .isInstanceOf(NotReady.class)
                .hasMessage(
                        "the sandbox of codex does not work here (bwrap: setting up uid map: Operation not permitted),"
                                + " and tier 2 lets nothing change files without one");
    }

    @Test
    void what_is_not_known_of_the_sandbox_does_not_take_it_away() throws Exception {
        program("codex", CODEX_SAYS, "echo 'error: unrecognized subcommand sandbox' >&2; exit 2");

        assertThat(startedWith(new ProgramAllowance(Permission.ASK, 3, Long.MAX_VALUE)))
                .contains(" --sandbox workspace-write ");
    }

    @Test
    void a_program_that_needs_more_memory_than_its_tier_has_does_not_start_and_says_what_to_do() throws Exception {
        program("claude", "{}");

        assertThatThrownBy(() -> executor("claude-code", new ProgramAllowance(Permission.EDIT, 2, 512 << 20)))
                .isInstanceOfSatisfying(NotReady.class, refused -> {
                    assertThat(refused).hasMessage("claude needs 1024 MB of memory, and tier 2 has 512 MB here");
                    assertThat(refused.fix()).startsWith("Give the workspace tier 3, or set TIER2_MEMORY_MB");
                });
        executor("claude-code", new ProgramAllowance(Permission.EDIT, 2, 1 << 30))
                .close();
    }

    private String startedWith(ProgramAllowance allowance) throws Exception {
        Files.deleteIfExists(folder.resolve("started"));
        executor("codex", allowance).answer(prompt("go"), new RecordingReply());
        return Files.readString(folder.resolve("started"));
    }

    private CliExecutor executor(String runtime, Permission permission) {
        return executor(runtime, new ProgramAllowance(permission));
    }

    private CliExecutor executor(String runtime, ProgramAllowance allowance) {
        var environment = new HashMap<>(Map.of(
                "PATH", folder + ":/usr/local/bin:/usr/bin:/bin",
                "HOME", folder.toString(),
                "MOLECULE_COMMAND", "/bin/molecule",
                "MOLECULE_WORKSPACE_TOKEN", "the-token",
                "OPENAI_BASE_URL", "http://127.0.0.1:1/v1",
                "OPENAI_API_KEY", "the-key",
                "MOLECULE_WORKSPACE_FOLDER", folder.toString()));
        return new CliExecutor(
                new AgentSetup(runtime, "", "", List.of(), 0, () -> "", environment), allowance, Optional.empty());
    }

    private void program(String name, String lines) throws Exception {
        program(name, lines, "exit 0");
    }

    /** @param trial what the shell does when its sandbox is tried */
    private void program(String name, String lines, String trial) throws Exception {
        Path program = Files.writeString(
                folder.resolve(name),
                "#!/bin/sh\n[ \"$1\" != sandbox ] || { " + trial
                        + "; }\necho \"$*\" >> started; cat > /dev/null\ncat <<'END'\n" + lines + "\nEND\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private static Prompt prompt(String text) {
        return new Prompt(TASK, "c", text, MissingNode.getInstance(), MissingNode.getInstance());
    }
}
