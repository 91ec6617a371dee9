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
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;

/** Version 0.3, and what is left of 0.2. @param dialect in which of its two forms a send is answered */
record WireForm03(Dialect dialect) implements WireForm {

    private static final Map<String, Operation> METHODS = Map.ofEntries(
            entry("message/send", Operation.SEND),
            entry("message/stream", Operation.STREAM),
            entry("message/sendSubscribe", Operation.STREAM),
            entry("tasks/get", Operation.GET),
            entry("tasks/cancel", Operation.CANCEL),
            entry("tasks/resubscribe", Operation.FOLLOW),
            entry(A2aMethods.TASKS_BY_MESSAGE, Operation.BY_MESSAGE),
            entry("tasks/pushNotificationConfig/set", Operation.PUSH),
            entry("tasks/pushNotificationConfig/get", Operation.PUSH),
            entry("tasks/pushNotificationConfig/list", Operation.PUSH),
            entry("tasks/pushNotificationConfig/delete", Operation.PUSH),
            entry("agent/getAuthenticatedExtendedCard", Operation.EXTENDED_CARD));

    @Override
    public Optional<Operation> operation(String method) {
        return Optional.ofNullable(METHODS.get(method));
    }

    @Override
    public void check(JsonNode params) {
        // nothing is in all of them
    }

    @Override
    public IncomingMessage message(JsonNode params, Optional<String> sender) {
        return MessageParams.read(params, dialect, sender);
    }

    @Override
    public boolean waits(JsonNode configuration) {
        return configuration.path("blocking").asBoolean(true);
    }

    @Override
    public ObjectNode task(TaskSnapshot task, int historyMax) {
        return TaskJson.task(task, historyMax);
    }

    @Override
    public ObjectNode begun(TaskSnapshot task, int historyMax) {
        return TaskJson.task(task, historyMax);
    }

    @Override
    public ObjectNode sent(TaskSnapshot task, int historyMax) {
        return switch (dialect) {
            case PUBLISHED -> TaskJson.task(task, historyMax);
            case PLATFORM -> TaskJson.message(task);
        };
    }

    @Override
    public ObjectNode direct(TaskSnapshot task) {
        return TaskJson.direct(task);
    }

    @Override
    public ObjectNode event(TaskSnapshot task, TaskEvent event) {
        return TaskJson.event(task, event);
    }

    @Override
    public ObjectNode page(TaskPage page, int historyMax, boolean withArtifacts) {
        throw new IllegalStateException("0.3 has no method that lists tasks");
    }

    /** Also of a task at rest: its last event comes once more. */
    @Override
    public TaskView follow(AgentTask task) {
        return task.follow();
    }

    @Override
    public RpcError noExtendedCard() {
        return RpcError.noExtendedCard();
    }

    @Override
    public RpcError refusal(TaskRefused refused) {
        return RpcError.of(refused);
    }

    @Override
    public ObjectNode error(RpcError error) {
        ObjectNode json = Json.object().put("code", error.code()).put("message", error.message());
        if (error.kind() == A2aError.VERSION_NOT_SUPPORTED) {
            json.set("data", error.details()); // only somebody who speaks another version gets here
        }
        return json;
    }

    @Override
    public boolean errorsAreEvents() {
        return false;
    }
}
