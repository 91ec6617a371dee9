package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.tasks.AnsweredData;
import ai.molecule.runtime.tasks.AnsweredFile;
import ai.molecule.runtime.tasks.AnsweredPart;
import ai.molecule.runtime.tasks.TaskEvent;
import ai.molecule.runtime.tasks.TaskEvent.ArtifactChunk;
import ai.molecule.runtime.tasks.TaskEvent.PartsAttached;
import ai.molecule.runtime.tasks.TaskEvent.StatusChanged;
import ai.molecule.runtime.tasks.TaskPage;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskState;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Tasks and their events as A2A 1.0 writes them: no member that its schema does not have, and none that is empty. */
final class TaskJson10 {

    private static final String STATE = "TASK_STATE_";

    private TaskJson10() {}

    static String stateName(TaskState state) {
        return STATE + state.name();
    }

    /** @param historyMax how many messages of the history are wanted */
    static ObjectNode task(TaskSnapshot task, int historyMax, boolean withArtifacts) {
        ObjectNode json = Json.object().put("id", task.id()).put("contextId", task.contextId());
        json.set("status", status(task, task.state(), task.since(), task.statusText()));
        if (withArtifacts && !(task.answer().isEmpty() && task.parts().isEmpty())) {
            ObjectNode artifact =
                    json.putArray("artifacts").addObject().put("artifactId", TaskHistory.artifactId(task));
            ArrayNode parts = artifact.putArray("parts");
            if (!task.answer().isEmpty()) {
                parts.addObject().put("text", task.answer());
            }
            add(parts, task.parts());
        }
        if (historyMax > 0) {
            ArrayNode history = json.putArray("history");
            TaskHistory.last(
                    historyMax,
                    task,
                    heard -> history.add(MessageForms.to10(Json.own(heard))),
                    (id, question) -> history.add(agentMessage(id, task, question)));
        }
        addTools(json, task.tools());
        return json;
    }

    static ObjectNode page(TaskPage page, int historyMax, boolean withArtifacts) {
        ObjectNode json = Json.object();
        ArrayNode tasks = json.putArray("tasks");
        page.tasks().forEach(task -> tasks.add(task(task, historyMax, withArtifacts)));
        return json.put("nextPageToken", page.nextToken())
                .put("pageSize", page.size())
                .put("totalSize", page.total());
    }

    /** The answer as a message of no task. */
    static ObjectNode direct(TaskSnapshot task) {
        ObjectNode message = agentMessage(TaskHistory.answerId(task), task, task.words());
        message.remove("taskId");
        add((ArrayNode) message.get("parts"), task.parts());
        return message;
    }

    static ObjectNode event(TaskSnapshot task, TaskEvent event) {
        ObjectNode update = Json.object().put("taskId", task.id()).put("contextId", task.contextId());
        return switch (event) {
            case StatusChanged changed -> {
                update.set("status", status(task, changed.state(), changed.at(), changed.text()));
                yield Json.object().set("statusUpdate", update);
            }
            case PartsAttached attached -> {
                add(artifact(update, task), attached.parts());
                yield Json.object()
                        .set(
                                "artifactUpdate",
                                update.put("append", attached.append()).put("lastChunk", true));
            }
            case ArtifactChunk chunk -> {
                artifact(update, task).addObject().put("text", chunk.text());
                yield Json.object()
                        .set(
                                "artifactUpdate",
                                update.put("append", chunk.append()).put("lastChunk", chunk.last()));
            }
        };
    }

    private static ArrayNode artifact(ObjectNode update, TaskSnapshot task) {
        return update.putObject("artifact")
                .put("artifactId", TaskHistory.artifactId(task))
                .putArray("parts");
    }

    private static ObjectNode status(TaskSnapshot task, TaskState state, Instant at, String text) {
        ObjectNode status = Json.object().put("state", stateName(state));
        if (!text.isEmpty()) {
            status.set("message", agentMessage(TaskHistory.statusId(task), task, text));
        }
        return status.put("timestamp", at.truncatedTo(ChronoUnit.MILLIS).toString());
    }

    private static ObjectNode agentMessage(String messageId, TaskSnapshot task, String text) {
        ObjectNode message = Json.object()
                .put("messageId", messageId)
                .put("contextId", task.contextId())
                .put("taskId", task.id())
                .put("role", "ROLE_AGENT");
        message.putArray("parts").addObject().put("text", text);
        return message;
    }

    private static void add(ArrayNode parts, List<AnsweredPart> more) {
        for (AnsweredPart each : more) {
            switch (each) {
                case AnsweredFile file ->
                    parts.addObject()
                            .put("url", file.uri())
                            .put("filename", file.name())
                            .put("mediaType", file.type());
                case AnsweredData data ->
                    parts.addObject().put("mediaType", "application/json").set("data", Json.own(data.json()));
            }
        }
    }

    /** Where the platform looks for them, to show them beside the answer. */
    private static void addTools(ObjectNode task, List<ToolUse> tools) {
        if (tools.isEmpty()) {
            return;
        }
        ArrayNode trace = task.putObject("metadata").putArray("tool_trace");
        for (ToolUse use : tools) {
            trace.addObject()
                    .put("tool", use.tool())
                    .put("input", use.input())
                    .put("output_preview", use.outputPreview());
        }
    }
}
