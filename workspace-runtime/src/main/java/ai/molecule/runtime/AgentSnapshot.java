package ai.molecule.runtime;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.tasks.WorkMeter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an agent leaves behind when it is stopped, and takes up again. Whatever goes wrong with it is logged and stops nothing. */
final class AgentSnapshot {

    private static final Logger LOGGER = LoggerFactory.getLogger(AgentSnapshot.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FILE_MAX_BYTES = 1024 * 1024;

    private final Path file;
    private final String workspaceId;
    private final Redaction redaction;
    private volatile Redaction newest;

    AgentSnapshot(RuntimeConfig config) {
        this.file = config.snapshotFile();
        this.workspaceId = config.workspaceId();
        this.redaction = Redaction.of(config.environment());
        this.newest = redaction;
    }

    /** Of these, too, no secret is in what is written; those of the start stay out, for an old value may still open something. */
    void takeOtherValues(Map<String, String> environment) {
        newest = Redaction.of(environment);
    }

    /** Replaces the one before; its owner alone can read it, and no secret is in it. */
    void write(AgentExecutor executor, WorkMeter.Reading work, Duration uptime) {
        try {
            ObjectNode state = executor.stateToKeep();
            ObjectNode snapshot = JSON.createObjectNode()
                    .put("workspace_id", workspaceId)
                    .put("timestamp", Instant.now().toString())
                    .put("current_task", work.currentTask())
                    .put("active_tasks", work.activeTasks())
                    .put("uptime_seconds", uptime.toSeconds())
                    .put("session_id", state.path("session_id").asText(""));
            snapshot.set("adapter", state);
            byte[] bytes = JSON.writeValueAsBytes(newest.of(redaction.of(snapshot)));
            if (bytes.length > FILE_MAX_BYTES) {
                throw new IOException("larger than 1 MiB");
            }
            Path fresh = Files.createTempFile(folder(), ".agent_snapshot", ".new"); // is created with mode 0600
            try {
                Files.write(fresh, bytes);
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException | RuntimeException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("no snapshot written");
        }
    }

    void restore(AgentExecutor executor) {
        try {
            if (!Files.exists(file)) {
                return;
            }
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw new IOException(file + " is larger than 1 MiB");
            }
            JsonNode snapshot = JSON.readTree(Files.readAllBytes(file));
            if (snapshot.path("workspace_id").asText("").equals(workspaceId)) {
                executor.restore(snapshot.path("adapter"));
            }
        } catch (IOException | RuntimeException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("snapshot not restored");
        }
    }

    private Path folder() {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file : parent;
    }
}
