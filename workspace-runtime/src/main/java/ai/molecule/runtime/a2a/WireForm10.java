package ai.molecule.runtime.a2a;

import static java.util.Map.entry;

import ai.molecule.runtime.tasks.AgentTask;
import ai.molecule.runtime.tasks.IncomingMessage;
import ai.molecule.runtime.tasks.TaskEvent;
import ai.molecule.runtime.tasks.TaskPage;
import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskView;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;

/** Version 1.0. @param workspaceId the only tenant there is here */
record WireForm10(String workspaceId) implements WireForm {

    static final Map<String, Operation> METHODS = Map.ofEntries(
            entry("SendMessage", Operation.SEND),
            entry("SendStreamingMessage", Operation.STREAM),
            entry("GetTask", Operation.GET),
            entry("ListTasks", Operation.LIST),
            entry("CancelTask", Operation.CANCEL),
            entry("SubscribeToTask", Operation.FOLLOW),
            entry("CreateTaskPushNotificationConfig", Operation.PUSH),
            entry("GetTaskPushNotificationConfig", Operation.PUSH),
            entry("ListTaskPushNotificationConfigs", Operation.PUSH),
            entry("DeleteTaskPushNotificationConfig", Operation.PUSH),
            entry("GetExtendedAgentCard", Operation.EXTENDED_CARD));

    @Override
    public Optional<Operation> operation(String method) {
        return method.equals(A2aMethods.TASKS_BY_MESSAGE)
                ? Optional.of(Operation.BY_MESSAGE)
                : Optional.ofNullable(METHODS.get(method));
    }

    /** The tenant says where a request goes, and it has come here. */
    @Override
    public void check(JsonNode params) {
        JsonNode tenant = params.path("tenant");
        if (!tenant.isMissingNode()
                && !tenant.isNull()
                && !tenant.asText().isEmpty()
                && !tenant.asText().equals(workspaceId)) {
            throw RpcError.invalidField("tenant", "is not this agent's");
        }
    }

    @Override
    public IncomingMessage message(JsonNode params, Optional<String> sender) {
        return MessageParams10.read(params, sender);
    }

    @Override
    public boolean waits(JsonNode configuration) {
        return !configuration.path("returnImmediately").asBoolean(false);
    }

    @Override
    public ObjectNode task(TaskSnapshot task, int historyMax) {
        return TaskJson10.task(task, historyMax, true);
    }

    @Override
    public ObjectNode begun(TaskSnapshot task, int historyMax) {
        return Json.object().set("task", TaskJson10.task(task, historyMax, true));
    }

    @Override
    public ObjectNode sent(TaskSnapshot task, int historyMax) {
        return begun(task, historyMax);
    }

    @Override
    public ObjectNode direct(TaskSnapshot task) {
        return Json.object().set("message", TaskJson10.direct(task));
    }

    @Override
    public ObjectNode event(TaskSnapshot task, TaskEvent event) {
        return TaskJson10.event(task, event);
    }

    @Override
    public ObjectNode page(TaskPage page, int historyMax, boolean withArtifacts) {
        return TaskJson10.page(page, historyMax, withArtifacts);
    }

    /** From now on, of a task that is over nothing; of one that waits for an answer what follows upon that. */
    @Override
    public TaskView follow(AgentTask task) {
        TaskView view = task.followOn();
        if (view.snapshot().state().isFinal()) {
            throw RpcError.unsupported("task " + task.id() + " is over and cannot be followed, get it instead");
        }
        return view;
    }

    @Override
    public RpcError noExtendedCard() {
        return RpcError.unsupported("there is no extended agent card");
    }

    @Override
    public RpcError refusal(TaskRefused refused) {
        return refused.kind() == TaskRefused.Kind.TAKES_NO_MESSAGE
                ? RpcError.unsupported(String.valueOf(refused.getMessage()))
                : RpcError.of(refused);
    }

    @Override
    public ObjectNode error(RpcError error) {
        ObjectNode json = Json.object().put("code", error.code()).put("message", error.message());
        ArrayNode details = error.details();
        if (!details.isEmpty()) {
            json.set("data", details);
        }
        return json;
    }

    @Override
    public boolean errorsAreEvents() {
        return true;
    }
}
