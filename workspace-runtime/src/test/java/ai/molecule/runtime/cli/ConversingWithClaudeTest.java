package ai.molecule.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program of ours that writes what {@code claude} writes, and notes how it was started. */
class ConversingWithClaudeTest {

    /** A program is known by its task: another test of the same time shall not end it. */
    private static final String TASK = "task-" + UUID.randomUUID();

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private final RecordingReply reply = new RecordingReply();

    @Test
    void what_the_model_says_comes_in_pieces_and_each_only_once() throws Exception {
        claude("""
                {"type":"system","subtype":"init","session_id":"s-1"}
                {"type":"stream_event","event":{"type":"content_block_start","content_block":{"type":"text","text":""}}}
                {"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Let me "}}}
                {"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"look."}}}
                {"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"Let me look."}]}}
                {"type":"assistant","parent_tool_use_id":"t-0","message":{"content":[{"type":"text","text":"for a helper"}]}}
                {"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"Nine."}]}}
                {"type":"result","subtype":"success","is_error":false,"result":"Nine.","session_id":"s-1"}""");

        executor().answer(prompt("count", "c"), reply);

        assertThat(reply.pieces).startsWith("Let me", " look.");
        assertThat(reply.answer()).isEqualTo("Let me look.\n\nNine.");
    }

    @Test
    void the_tools_it_used_are_shown_without_what_looks_like_a_credential() throws Exception {
        claude("""
                {"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}
                {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"sk-abcdefghijklmnopqrstuvwx"}]}]}}
                {"type":"result","subtype":"success","result":"done"}""");
        List<ToolUse> used = new ArrayList<>();
        var noting = new Reply() {
            @Override
            public void chunk(String text) {
                reply.chunk(text);
            }

            @Override
            public void text(String text) {
                reply.text(text);
            }

            @Override
            public void ask(String question) {}

            @Override
            public void used(ToolUse tool) {
                used.add(tool);
            }
        };

        executor().answer(prompt("list", "c"), noting);

        assertThat(used).containsExactly(new ToolUse("Bash", "{\"command\":\"ls\"}", "[REDACTED]"));
        assertThat(reply.answer()).isEqualTo("done");
    }

    @Test
    void a_conversation_goes_on_in_its_session_after_a_restart_too() throws Exception {
        claude(
                "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\",\"session_id\":\"s-$1-$(wc -l < started)\"}");
        var executor = executor();
        executor.answer(prompt("one", "c"), reply);
        executor.answer(prompt("two", "c"), reply);
        executor.answer(prompt("other", "d"), reply);
        JsonNode kept = JSON.readTree(executor.stateToKeep().toString());

        var restarted = executor();
        restarted.restore(kept);
        restarted.answer(prompt("three", "c"), reply);

        assertThat(started())
                .extracting(line -> line.replaceAll(".*partial-messages", "").strip())
                .containsExactly("", "--resume s---print-1", "", "--resume s---print-2");
        assertThat(kept.path("session_id").asText()).isEqualTo("s---print-3");
        assertThat(executor.capabilities().session()).isTrue();
    }

    @Test
    void a_session_the_program_has_lost_is_begun_anew_with_what_was_said_before() throws Exception {
        script("""
                case "$*" in
                *--resume*) echo 'No conversation found with session ID: s-1' >&2; exit 1;;
                esac
                cat > read
                echo '{"type":"result","subtype":"success","result":"ok","session_id":"s-2"}'""");
        var executor = executor();
        executor.restore(JSON.readTree("{\"session_id\":\"s-1\",\"sessions\":{\"c\":\"s-1\"}}"));
        var history = JSON.readTree("{\"history\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}");

        executor.answer(new Prompt(TASK, "c", "go on", MissingNode.getInstance(), history), reply);

        assertThat(reply.answer()).isEqualTo("ok");
        assertThat(Files.readString(folder.resolve("read")))
                .contains("User: hi")
                .endsWith("go on");
        assertThat(executor.stateToKeep().at("/sessions/c").asText()).isEqualTo("s-2");
    }

    @Test
    void an_agent_that_is_not_logged_in_is_stuck_until_it_answers_again() throws Exception {
        claude("""
                {"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"Invalid API key"}]}}
                {"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}""");
        var executor = executor();

        assertThatThrownBy(() -> executor.answer(prompt("go", "c"), reply))
                .isInstanceOf(AgentFailure.class)
                .hasMessage("the command failed (auth_failed), see the workspace log");
        assertThat(reply.answer()).isEmpty();
        assertThat(executor.wedged()).contains("the command failed (auth_failed), see the workspace log");

        claude("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\"}");
        executor.answer(prompt("go", "c"), reply);
        assertThat(executor.wedged()).isEmpty();
    }

    @Test
    void being_told_to_wait_or_failing_once_is_not_being_stuck() throws Exception {
        claude(
                "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"result\":\"429 rate limit\"}");
        var executor = executor();

        assertThatThrownBy(() -> executor.answer(prompt("go", "c"), reply)).hasMessageContaining("rate_limited");

        assertThat(executor.wedged()).isEmpty();
    }

    @Test
    void the_transcript_is_what_the_program_wrote_down_of_the_session_used_last() throws Exception {
        var executor = executor();
        assertThat(executor.transcript(0, 10).supported()).isTrue();
        assertThat(executor.transcript(0, 10).lines()).isEmpty();
        Path project = Files.createDirectories(folder.resolve(".claude/projects/-workspace"));
        Path file = Files.writeString(project.resolve("s-1.jsonl"), "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3");
        executor.restore(JSON.readTree("{\"session_id\":\"s-1\"}"));

        var first = executor.transcript(0, 2);
        var rest = executor.transcript(first.cursor(), 10);

        assertThat(first.lines()).extracting(line -> line.path("n").asInt()).containsExactly(0, 1);
        assertThat(first.more()).isTrue();
        assertThat(first.source()).isEqualTo(file.toString());
        assertThat(rest.lines()).extracting(line -> line.path("n").asInt()).containsExactly(2);
        assertThat(rest.cursor())
                .as("the line that is being written is not passed over")
                .isEqualTo(3);
        assertThat(rest.more()).isFalse();
    }

    @Test
    void a_session_whose_name_leads_elsewhere_is_none() throws Exception {
        var executor = executor();
        executor.restore(JSON.readTree("{\"session_id\":\"../../x\",\"sessions\":{\"c\":\"--evil\"}}"));
        Files.createDirectories(folder.resolve(".claude/projects/p"));
        Files.writeString(folder.resolve(".claude/x.jsonl"), "{}\n");

        assertThat(executor.transcript(0, 10).lines()).isEmpty();
        claude("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\"}");
        executor.answer(prompt("go", "c"), reply);
        assertThat(started().getFirst()).doesNotContain("evil");
    }

    private CliExecutor executor() throws IOException {
        if (!Files.exists(folder.resolve("claude"))) {
            claude("");
        }
        return new CliExecutor(new AgentSetup(
                "claude-code",
                "openai:x",
                "",
                List.of(),
                0,
                () -> "",
                Map.of(
                        "PATH", folder + ":/usr/local/bin:/usr/bin:/bin",
                        "HOME", folder.toString(),
                        "MOLECULE_WORKSPACE_FOLDER", folder.toString())));
    }

    /** Writes these lines, in which the shell fills in what it knows. */
    private void claude(String lines) throws IOException {
        script("echo \"$*\" >> started; cat > /dev/null\ncat <<END\n" + lines + "\nEND");
    }

    private void script(String shell) throws IOException {
        Path claude = Files.writeString(folder.resolve("claude"), "#!/bin/sh\n" + shell + "\n");
        assertThat(claude.toFile().setExecutable(true)).isTrue();
    }

    private List<String> started() throws IOException {
        return Files.readAllLines(folder.resolve("started"));
    }

    private static Prompt prompt(String text, String contextId) {
        return new Prompt(TASK, contextId, text, MissingNode.getInstance(), MissingNode.getInstance());
    }
}
