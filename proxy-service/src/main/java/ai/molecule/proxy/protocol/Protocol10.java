package ai.molecule.proxy.protocol;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.Optional;
import java.util.Set;

/** Version 1.0. Its methods have names of their own, its events say by a member which kind they are. */
final class Protocol10 implements Protocol {

    private static final Set<String> METHODS = Set.of(
            "SendMessage",
            "SendStreamingMessage",
            "GetTask",
            "ListTasks",
            "CancelTask",
            "SubscribeToTask",
            "CreateTaskPushNotificationConfig",
            "GetTaskPushNotificationConfig",
            "ListTaskPushNotificationConfigs",
            "DeleteTaskPushNotificationConfig",
            "GetExtendedAgentCard");

    private final Sightings sightings = new Sightings(
            TaskState::wireOf10,
            "result.statusUpdate.taskId",
            "result.artifactUpdate.taskId",
            "result.task.id",
            "result.message.taskId",
            "result.id");

    @Override
    public String version() {
        return "1.0";
    }

    @Override
    public Method methodOf(String name) {
        return switch (name) {
            case "SendStreamingMessage" -> Method.STREAM;
            case "SubscribeToTask" -> Method.RESUBSCRIBE;
            case "GetTask" -> Method.GET_TASK;
            case "CancelTask" -> Method.CANCEL_TASK;
            case "ListTasks" -> Method.LIST_TASKS;
            default -> Method.OTHER;
        };
    }

    @Override
    public boolean owns(String method) {
        return METHODS.contains(method);
    }

    @Override
    public Optional<Sighting> sight(byte[] json) {
        return sightings.in(json);
    }

    @Override
    public byte[] resubscribe(String rpcId, String taskId) {
        return Protocol03.request(rpcId, "SubscribeToTask", taskId);
    }

    @Override
    public byte[] getTask(String rpcId, String taskId) {
        return Protocol03.request(rpcId, "GetTask", taskId);
    }

    @Override
    public String finalEvent(String rpcId, Sighting end) {
        var update = Json.object().put("taskId", end.taskId());
        if (end.contextId() != null) {
            update.put("contextId", end.contextId());
        }
        update.putRawValue("status", new RawValue(end.status()));
        var result = Json.object().set("statusUpdate", update);
        return "{\"jsonrpc\":\"2.0\",\"id\":" + rpcId + ",\"result\":" + Json.text(result) + "}";
    }

    @Override
    public String task(Sighting seen) {
        var task = Json.object().put("id", seen.taskId());
        if (seen.contextId() != null) {
            task.put("contextId", seen.contextId());
        }
        return Json.text(task.putRawValue("status", new RawValue(seen.status())));
    }
}
