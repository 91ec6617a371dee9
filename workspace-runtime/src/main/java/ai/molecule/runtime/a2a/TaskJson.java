package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.tasks.AnsweredData;
import ai.molecule.runtime.tasks.AnsweredFile;
import ai.molecule.runtime.tasks.AnsweredPart;
import ai.molecule.runtime.tasks.TaskEvent;
import ai.molecule.runtime.tasks.TaskEvent.ArtifactChunk;
import ai.molecule.runtime.tasks.TaskEvent.PartsAttached;
import ai.molecule.runtime.tasks.TaskEvent.StatusChanged;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskState;
import ai.molecule.runtime.tools.DelegationRows;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Tasks and their events as A2A 0.3 writes them. */
final class TaskJson {

    /** What in words alone could not be told from an answer. */
    private static final Set<TaskState> NO_ANSWER =
            EnumSet.complementOf(EnumSet.of(TaskState.SUBMITTED, TaskState.WORKING, TaskState.COMPLETED));

    private TaskJson() {}

    /** @param historyMax how many messages of the history are wanted */
    static ObjectNode task(TaskSnapshot task, int historyMax) {
        ObjectNode json = Json.object().put("kind", "task").put("id", task.id()).put("contextId", task.contextId());
        json.set("status", status(task, task.state(), task.since(), task.statusText()));
        if (!(task.answer().isEmpty() && task.parts().isEmpty())) {
            ObjectNode artifact = task.answer().isEmpty() ? emptyArtifact(task) : artifact(task, task.answer());
            add(artifact, task.parts());
            json.putArray("artifacts").add(artifact);
        }
        ArrayNode history = json.putArray("history");
        TaskHistory.last(
                historyMax,
                task,
                heard -> history.addRawValue(new RawValue(heard)),
                (id, question) -> history.add(agentMessage(id, task, question)));
        addTools(json, task.tools());
        return json;
    }

    /** What a task has to say, as the one message that clients of the older dialect read. */
    static ObjectNode message(TaskSnapshot task) {
        String words = task.state().endsTurn() ? task.words() : "The agent is still working on task " + task.id() + ".";
        boolean unanswered = task.state() == TaskState.CANCELED || task.state() == TaskState.REJECTED;
        String text = unanswered ? DelegationRows.FAILURE + " " + words : words;
        ObjectNode message = agentMessage(TaskHistory.answerId(task), task, text);
        if (task.state() == TaskState.COMPLETED) {
            add(message, task.parts());
        }
        if (NO_ANSWER.contains(task.state())) {
            message.putObject("metadata").put("task_state", task.state().wireName());
        }
        addTools(message, task.tools());
        return message;
    }

    /** The answer as a message of no task. */
    static ObjectNode direct(TaskSnapshot task) {
        ObjectNode message = message(task);
        message.remove("taskId");
        return message;
    }

    static ObjectNode event(TaskSnapshot task, TaskEvent event) {
        ObjectNode json = Json.object();
        switch (event) {
            case StatusChanged changed -> {
                json.put("kind", "status-update").put("taskId", task.id()).put("contextId", task.contextId());
                json.set("status", status(task, changed.state(), changed.at(), changed.text()));
                json.put("final", changed.state().endsTurn());
            }
            case PartsAttached attached -> {
                json.put("kind", "artifact-update").put("taskId", task.id()).put("contextId", task.contextId());
                ObjectNode artifact = emptyArtifact(task);
                add(artifact, attached.parts());
                json.set("artifact", artifact);
                json.put("append", attached.append()).put("lastChunk", true);
            }
            case ArtifactChunk chunk -> {
                json.put("kind", "artifact-update").put("taskId", task.id()).put("contextId", task.contextId());
                json.set("artifact", artifact(task, chunk.text()));
                json.put("append", chunk.append()).put("lastChunk", chunk.last());
            }
        }
        return json;
    }

    private static ObjectNode status(TaskSnapshot task, TaskState state, Instant at, String text) {
        ObjectNode status = Json.object()
                .put("state", state.wireName())
                .put("timestamp", at.truncatedTo(ChronoUnit.MILLIS).toString());
        if (!text.isEmpty()) {
            status.set("message", agentMessage(TaskHistory.statusId(task), task, text));
        }
        return status;
    }

    private static ObjectNode artifact(TaskSnapshot task, String text) {
        ObjectNode artifact = emptyArtifact(task);
        artifact.withArrayProperty("parts").add(textPart(text));
        return artifact;
    }

    private static ObjectNode emptyArtifact(TaskSnapshot task) {
        return Json.object().put("artifactId", TaskHistory.artifactId(task));
    }

    /** Behind the words, which old clients take from the first part without looking. */
    private static void add(ObjectNode speaker, List<AnsweredPart> parts) {
        for (AnsweredPart each : parts) {
            ObjectNode part = Json.object();
            switch (each) {
                case AnsweredFile file ->
                    part.put("kind", "file")
                            .putObject("file")
                            .put("uri", file.uri())
                            .put("name", file.name())
                            .put("mimeType", file.type());
                case AnsweredData data -> part.put("kind", "data").set("data", Json.own(data.json()));
            }
            speaker.withArrayProperty("parts").add(part);
        }
    }

    /** Where the platform looks for them, to show them beside the answer. */
    private static void addTools(ObjectNode speaker, List<ToolUse> tools) {
        if (tools.isEmpty()) {
            return;
        }
        var trace = speaker.withObjectProperty("metadata").putArray("tool_trace");
        for (ToolUse use : tools) {
            trace.addObject()
                    .put("tool", use.tool())
                    .put("input", use.input())
                    .put("output_preview", use.outputPreview());
        }
    }

    private static ObjectNode agentMessage(String messageId, TaskSnapshot task, String text) {
        ObjectNode message = Json.object()
                .put("kind", "message")
                .put("role", "agent")
                .put("messageId", messageId)
                .put("taskId", task.id())
                .put("contextId", task.contextId());
        message.putArray("parts").add(textPart(text));
        return message;
    }

    private static ObjectNode textPart(String text) {
        return Json.object().put("kind", "text").put("text", text);
    }
}
