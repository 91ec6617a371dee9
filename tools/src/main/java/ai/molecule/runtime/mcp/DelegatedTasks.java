package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.CallersInput;
import ai.molecule.runtime.tools.DelegatedWork;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Workspaces;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** What {@code delegate_task_async} hands on, as tasks: the platform keeps them, so every process that speaks for the workspace can tell of them. */
final class DelegatedTasks implements CallTasks {

    private static final String TOOL = "delegate_task_async";
    private static final Duration KEPT = Duration.ofDays(7);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final DelegatedWork work;

    DelegatedTasks(Workspaces workspaces) {
        this.work = new DelegatedWork(workspaces);
    }

    @Override
    public boolean isFor(ToolSpec tool) {
        return tool.name().equals(TOOL);
    }

    @Override
    public Optional<ObjectNode> begun(ToolSpec tool, String answer, CallersInput caller) {
        try {
            return isFor(tool) && !ToolSpec.isFailure(answer)
                    ? find(JSON.readTree(answer).path("delegation_id").asText(), caller)
                    : Optional.empty();
        } catch (IOException noId) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<ObjectNode> find(String taskId, CallersInput caller) {
        return work.find(taskId).map(found -> told(found, caller));
    }

    private ObjectNode told(DelegatedWork.Found found, CallersInput caller) {
        JsonNode row = found.row();
        ObjectNode task =
                JSON.createObjectNode().put("taskId", row.path("delegation_id").asText());
        String status = row.path("status").asText();
        switch (status) {
            case "completed" -> {
                task.put("status", "completed");
                result(task, row.path("text").asText("(no response)"), false);
            }
            case "failed" -> {
                if (DelegatedWork.isCanceled(row)) {
                    task.put("status", "cancelled")
                            .put("statusMessage", row.path("error").asText());
                } else {
                    task.put("status", "completed");
                    result(task, "DELEGATION FAILED: " + row.path("error").asText(), true);
                }
            }
            default -> {
                var question = caller.canFill() ? work.question(found) : Optional.<ObjectNode>empty();
                task.put("status", question.isPresent() ? "input_required" : "working")
                        .put("statusMessage", row.path("asks").asBoolean() ? "the peer waits for a person" : status);
                question.ifPresent(requests -> task.set("inputRequests", requests));
            }
        }
        return task.put("createdAt", row.path("created_at").asText())
                .put("lastUpdatedAt", row.path("changed_at").asText())
                .put("ttlMs", KEPT.toMillis())
                .put("pollIntervalMs", LOOK_EVERY.toMillis());
    }

    private static void result(ObjectNode task, String text, boolean failed) {
        ObjectNode result = task.putObject("result");
        result.putArray("content").addObject().put("type", "text").put("text", text);
        result.put("isError", failed);
    }

    @Override
    public boolean update(String taskId, CallersInput caller) {
        var found = work.find(taskId);
        found.ifPresent(one -> work.answer(one, caller.responses()));
        return found.isPresent();
    }

    @Override
    public boolean cancel(String taskId) {
        var found = work.find(taskId);
        found.ifPresent(work::cancel);
        return found.isPresent();
    }
}
