package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskEvent;
import ai.molecule.runtime.tasks.TaskEvent.ArtifactChunk;
import ai.molecule.runtime.tasks.TaskEvent.StatusChanged;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskState;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Tasks and their events as A2A 0.3 writes them. */
final class TaskJson {

    private TaskJson() {}

    /** @param historyMax how many messages of the history are wanted */
    static ObjectNode task(TaskSnapshot task, int historyMax) {
        ObjectNode json = Json.object().put("kind", "task").put("id", task.id()).put("contextId", task.contextId());
        json.set("status", status(task.id(), task.contextId(), task.state(), task.since(), task.statusText()));
        if (!task.answer().isEmpty()) {
            json.putArray("artifacts").add(artifact(task.id(), task.answer()));
        }
        ArrayNode history = json.putArray("history");
        if (historyMax > 0) {
            history.addRawValue(new RawValue(task.messageJson()));
        }
        return json;
    }

    /** What a task has to say, as the one message that clients of the older dialect read. */
    static ObjectNode message(TaskSnapshot task) {
        String words = task.state().isFinal() ? task.words() : "The agent is still working on task " + task.id() + ".";
        String text = task.state() == TaskState.CANCELED ? "Agent error: " + words : words;
        return agentMessage(task.id() + "-answer", task.id(), task.contextId(), text);
    }

    static ObjectNode event(TaskSnapshot task, TaskEvent event) {
        ObjectNode json = Json.object();
        switch (event) {
            case StatusChanged changed -> {
                json.put("kind", "status-update").put("taskId", task.id()).put("contextId", task.contextId());
                json.set("status", status(task.id(), task.contextId(), changed.state(), changed.at(), changed.text()));
                json.put("final", changed.state().isFinal());
            }
            case ArtifactChunk chunk -> {
                json.put("kind", "artifact-update").put("taskId", task.id()).put("contextId", task.contextId());
                json.set("artifact", artifact(task.id(), chunk.text()));
                json.put("append", chunk.append()).put("lastChunk", chunk.last());
            }
        }
        return json;
    }

    private static ObjectNode status(String taskId, String contextId, TaskState state, Instant at, String text) {
        ObjectNode status = Json.object()
                .put("state", state.wireName())
                .put("timestamp", at.truncatedTo(ChronoUnit.MILLIS).toString());
        if (!text.isEmpty()) {
            status.set("message", agentMessage(taskId + "-status", taskId, contextId, text));
        }
        return status;
    }

    /** One artifact a task: its id can be derived and need not be kept. */
    private static ObjectNode artifact(String taskId, String text) {
        ObjectNode artifact = Json.object().put("artifactId", taskId + "-answer");
        artifact.putArray("parts").add(textPart(text));
        return artifact;
    }

    private static ObjectNode agentMessage(String messageId, String taskId, String contextId, String text) {
        ObjectNode message = Json.object()
                .put("kind", "message")
                .put("role", "agent")
                .put("messageId", messageId)
                .put("taskId", taskId)
                .put("contextId", contextId);
        message.putArray("parts").add(textPart(text));
        return message;
    }

    private static ObjectNode textPart(String text) {
        return Json.object().put("kind", "text").put("text", text);
    }
}
