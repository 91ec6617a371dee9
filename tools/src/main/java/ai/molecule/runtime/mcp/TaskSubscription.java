package ai.molecule.runtime.mcp;

import static ai.molecule.runtime.mcp.McpRefusal.INVALID_PARAMS;

import ai.molecule.runtime.tools.CallersInput;
import ai.molecule.sdk.PlatformException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code subscriptions/listen} of 2026-07-28: {@code notifications/tasks} for the tasks that the client names, how each stands and again each time
 * that changes, until all are over. Nothing else is told here, for no list of ours changes. Every message carries the request's id; the first says
 * what is told, the last is the request's answer.
 *
 * <p>Tasks are looked at every two seconds, {@value #TASKS_MAX} at most, for ten minutes; whoever wants to hear more subscribes again.
 */
public final class TaskSubscription {

    static final String METHOD = "subscriptions/listen";
    static final int TASKS_MAX = 16;

    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);
    private static final int LOOKS_MAX = 300;

    /** Looks without a word, after which a sign of life is due. */
    private static final int SILENT_LOOKS = 7;

    private static final String ID_KEY = "io.modelcontextprotocol/subscriptionId";
    private static final Set<String> OVER = Set.of("completed", "failed", "cancelled");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Whoever carries messages to the client; fails when that is gone. */
    public interface Listener {

        void hear(ObjectNode message) throws IOException;

        /** Says nothing, so that those between see that the stream lives. */
        void stillThere() throws IOException;
    }

    private final JsonNode id;
    private final Set<String> asked;
    private final CallTasks tasks;
    private final CallersInput caller;
    private final Duration every;
    private final Map<String, ObjectNode> told = new HashMap<>();

    private TaskSubscription(JsonNode id, Set<String> asked, CallTasks tasks, CallersInput caller, Duration every) {
        this.id = id;
        this.asked = asked;
        this.tasks = tasks;
        this.caller = caller;
        this.every = every;
    }

    /**
     * @param knowsTasks whether the client says that it knows them; else none is told
     * @throws McpRefusal for what is wrong in the request
     */
    static TaskSubscription of(JsonNode request, CallTasks tasks, CallersInput caller, boolean knowsTasks) {
        return of(request, tasks, caller, knowsTasks, LOOK_EVERY);
    }

    static TaskSubscription of(
            JsonNode request, CallTasks tasks, CallersInput caller, boolean knowsTasks, Duration every) {
        JsonNode wanted = request.path("params").path("notifications");
        if (!wanted.isObject()) {
            throw McpRefusal.of(INVALID_PARAMS, "notifications must be an object");
        }
        JsonNode ids = wanted.path("taskIds");
        boolean texts = ids.isArray() || !wanted.hasNonNull("taskIds");
        Set<String> asked = new LinkedHashSet<>();
        for (JsonNode each : ids) {
            texts &= each.isTextual();
            asked.add(each.asText());
        }
        if (!texts || asked.size() > TASKS_MAX) {
            throw McpRefusal.of(INVALID_PARAMS, "taskIds must be a list of at most " + TASKS_MAX + " strings");
        }
        return new TaskSubscription(request.path("id"), knowsTasks ? asked : Set.of(), tasks, caller, every);
    }

    /** Until the tasks are over or the time is, which the request's answer tells. Fails when the listener does. */
    public void tell(Listener listener) throws IOException, InterruptedException {
        List<ObjectNode> first = new ArrayList<>();
        for (String task : asked) {
            look(task).ifPresent(first::add);
        }
        ObjectNode acknowledged = notification("notifications/subscriptions/acknowledged", JSON.createObjectNode());
        ObjectNode agreed = ((ObjectNode) acknowledged.path("params")).putObject("notifications");
        if (!first.isEmpty()) {
            ArrayNode ids = agreed.putArray("taskIds");
            first.forEach(task -> ids.add(task.path("taskId").asText()));
        }
        listener.hear(acknowledged);
        for (ObjectNode task : first) {
            tell(task, listener);
        }
        int silent = 0;
        for (int looks = 0; looks < LOOKS_MAX && !allOver(); looks++) {
            Thread.sleep(every);
            silent = tellChanges(listener) ? 0 : silent + 1;
            if (silent == SILENT_LOOKS) {
                listener.stillThere();
                silent = 0;
            }
        }
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        ObjectNode result = answer.putObject("result").put("resultType", "complete");
        result.putObject("_meta").set(ID_KEY, id);
        listener.hear(answer);
    }

    private boolean tellChanges(Listener listener) throws IOException, InterruptedException {
        boolean any = false;
        for (ObjectNode before : List.copyOf(told.values())) {
            if (isOver(before)) {
                continue;
            }
            var found = look(before.path("taskId").asText());
            if (found.isPresent() && !found.get().equals(before)) {
                tell(found.get(), listener);
                any = true;
            }
        }
        return any;
    }

    private void tell(ObjectNode task, Listener listener) throws IOException {
        told.put(task.path("taskId").asText(), task);
        listener.hear(notification("notifications/tasks", task.deepCopy()));
    }

    /** A platform that cannot tell now may do so the next time. */
    private Optional<ObjectNode> look(String task) throws InterruptedException {
        try {
            return tasks.find(task, caller);
        } catch (PlatformException away) {
            return Optional.empty();
        }
    }

    private ObjectNode notification(String method, ObjectNode params) {
        params.withObjectProperty("_meta").set(ID_KEY, id);
        ObjectNode message = JSON.createObjectNode().put("jsonrpc", "2.0").put("method", method);
        message.set("params", params);
        return message;
    }

    private boolean allOver() {
        return told.values().stream().allMatch(TaskSubscription::isOver);
    }

    private static boolean isOver(JsonNode task) {
        return OVER.contains(task.path("status").asText());
    }
}
