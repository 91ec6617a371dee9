package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.tasks.WorkMeter.Reading;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** An agent that is stopped leaves behind what it needs to go on, without secrets. */
class KeepingSnapshotsTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @Test
    void what_was_left_behind_is_taken_up_again() throws Exception {
        var before = new Remembering("{\"session_id\":\"s-7\",\"notes\":[\"a\"]}");
        snapshot("ws-1").write(before, new Reading(2, "counting", 0, 0, ""), Duration.ofMinutes(3));
        var after = new Remembering("{}");

        snapshot("ws-1").restore(after);

        assertThat(after.restored).isEqualTo(before.state);
        var kept = JSON.readTree(file().toFile());
        assertThat(kept.path("workspace_id").asText()).isEqualTo("ws-1");
        assertThat(kept.path("current_task").asText()).isEqualTo("counting");
        assertThat(kept.path("active_tasks").asInt()).isEqualTo(2);
        assertThat(kept.path("uptime_seconds").asInt()).isEqualTo(180);
        assertThat(kept.path("session_id").asText()).isEqualTo("s-7");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void secrets_are_not_in_it() throws Exception {
        var agent = new Remembering("""
                {"log":["used hunter2-hunter2", {"k":"sk-ant-abcdefghijklmnopqrstuvwxyz","u":"Bearer abcdefghijklmnopqrst"}]}""");

        snapshot("ws-1").write(agent, Reading.NONE, Duration.ZERO);

        assertThat(JSON.readTree(file().toFile()).path("adapter").toString())
                .isEqualTo("{\"log\":[\"used [REDACTED:DB_PASSWORD]\","
                        + "{\"k\":\"[REDACTED:ANTHROPIC_KEY]\",\"u\":\"[REDACTED:BEARER]\"}]}");
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void a_text_of_nothing_but_beginnings_of_secrets_is_read_like_another() {
        var redaction = Redaction.of(Map.of());
        String beginnings = "eyJ".repeat(700_000);

        assertThat(redaction.of(beginnings)).isEqualTo(beginnings);
        assertThat(redaction.of("x_eyJhbGciOiJub25l.eyJzdWIiOiJhbGw.c2lnbmF0dXJl."))
                .isEqualTo("x_[REDACTED:JWT].");
    }

    @Test
    void what_is_anothers_or_broken_is_not_taken_up() throws Exception {
        snapshot("ws-2").write(new Remembering("{\"a\":1}"), Reading.NONE, Duration.ZERO);
        var after = new Remembering("{}");
        snapshot("ws-1").restore(after);
        Files.writeString(file(), "{broken");
        snapshot("ws-1").restore(after);

        assertThat(after.restored).isNull();
    }

    @Test
    void a_folder_that_cannot_be_written_stops_nothing() throws Exception {
        var config = RuntimeConfig.fromEnv(Map.of(
                "WORKSPACE_ID",
                "ws-1",
                "AGENT_SNAPSHOT_PATH",
                folder.resolve("no/such/file").toString()));

        new AgentSnapshot(config).write(new Remembering("{}"), Reading.NONE, Duration.ZERO);

        assertThat(folder.resolve("no")).doesNotExist();
    }

    private AgentSnapshot snapshot(String workspaceId) {
        return new AgentSnapshot(RuntimeConfig.fromEnv(Map.of(
                "WORKSPACE_ID",
                workspaceId,
                "WORKSPACE_CONFIG_PATH",
                folder.toString(),
                "DB_PASSWORD",
                "hunter2-hunter2")));
    }

    private Path file() {
        return folder.resolve(".agent_snapshot.json");
    }

    private static final class Remembering implements AgentExecutor {

        private final ObjectNode state;
        private @Nullable JsonNode restored;

        Remembering(String state) throws Exception {
            this.state = (ObjectNode) JSON.readTree(state);
        }

        @Override
        public Skill skill() {
            return new Skill("r", "R", "Remembers.", List.of());
        }

        @Override
        public void answer(Prompt prompt, Reply reply) {
            reply.text("ok");
        }

        @Override
        public ObjectNode stateToKeep() {
            return state;
        }

        @Override
        public void restore(JsonNode kept) {
            restored = kept;
        }
    }
}
