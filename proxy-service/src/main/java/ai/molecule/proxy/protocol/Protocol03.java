package ai.molecule.proxy.protocol;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.util.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Version 0.3, and what is left of 0.2. */
final class Protocol03 implements Protocol {

    /** An update names its task in {@code taskId}, a task itself has an {@code id}. */
    private final Sightings sightings = new Sightings(TaskState::wire, "result.taskId", "result.id");

    @Override
    public String version() {
        return "0.3";
    }

    @Override
    public Method methodOf(String name) {
        return switch (name) {
            case "message/stream", "message/sendSubscribe" -> Method.STREAM;
            case "tasks/resubscribe" -> Method.RESUBSCRIBE;
            case "tasks/get" -> Method.GET_TASK;
            case "tasks/cancel" -> Method.CANCEL_TASK;
            default -> Method.OTHER;
        };
    }

    @Override
    public boolean owns(String method) {
        return method.startsWith("message/") || method.startsWith("tasks/");
    }

    @Override
    public Optional<Sighting> sight(byte[] json) {
        return sightings.in(json);
    }

    @Override
    public byte[] resubscribe(String rpcId, String taskId) {
        return request(rpcId, "tasks/resubscribe", taskId);
    }

    @Override
    public byte[] getTask(String rpcId, String taskId) {
        return request(rpcId, "tasks/get", taskId);
    }

    @Override
    public String finalEvent(String rpcId, Sighting end) {
        var result = Json.object().put("kind", "status-update").put("taskId", end.taskId());
        if (end.contextId() != null) {
            result.put("contextId", end.contextId());
        }
        result.putRawValue("status", new RawValue(end.status())).put("final", true);
        return "{\"jsonrpc\":\"2.0\",\"id\":" + rpcId + ",\"result\":" + Json.text(result) + "}";
    }

    @Override
    public String task(Sighting seen) {
        var task = Json.object().put("kind", "task").put("id", seen.taskId());
        if (seen.contextId() != null) {
            task.put("contextId", seen.contextId());
        }
        return Json.text(task.putRawValue("status", new RawValue(seen.status())));
    }

    static byte[] request(String rpcId, String method, String taskId) {
        String params = Json.text(Json.object().put("id", taskId));
        return ("{\"jsonrpc\":\"2.0\",\"id\":" + rpcId + ",\"method\":\"" + method + "\",\"params\":" + params + "}")
                .getBytes(StandardCharsets.UTF_8);
    }
}
