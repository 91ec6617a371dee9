package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskQuery;
import ai.molecule.runtime.tasks.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Reads the parameters of {@code ListTasks}. */
final class TaskQueries {

    static final int PAGE_DEFAULT = 50;
    static final int PAGE_MAX = 100;
    private static final String ANY_STATE = "TASK_STATE_UNSPECIFIED";

    private TaskQueries() {}

    /** @throws RpcError -32602 naming the member */
    static TaskQuery read(JsonNode params, Optional<String> asker) {
        JsonNode size = params.path("pageSize");
        if (params.hasNonNull("pageSize") && (!size.isInt() || size.intValue() < 1 || size.intValue() > PAGE_MAX)) {
            throw RpcError.invalidField("pageSize", "must be a number from 1 to " + PAGE_MAX);
        }
        try {
            return new TaskQuery(
                    asker,
                    text(params, "contextId"),
                    state(params),
                    since(params),
                    size.asInt(PAGE_DEFAULT),
                    text(params, "pageToken").map(TaskQuery.Position::of));
        } catch (IllegalArgumentException notOurs) {
            throw RpcError.invalidField("pageToken", "is none that this agent gave");
        }
    }

    private static Optional<TaskState> state(JsonNode params) {
        String asked = params.hasNonNull("status") ? params.path("status").asText("?") : "";
        if (asked.isEmpty() || asked.equals(ANY_STATE)) {
            return Optional.empty();
        }
        for (TaskState state : TaskState.values()) {
            if (TaskJson10.stateName(state).equals(asked)) {
                return Optional.of(state);
            }
        }
        throw RpcError.invalidField("status", "is no state that a task of this agent can have");
    }

    private static Optional<Instant> since(JsonNode params) {
        try {
            return text(params, "statusTimestampAfter")
                    .map(time -> OffsetDateTime.parse(time).toInstant());
        } catch (DateTimeException notATime) {
            throw RpcError.invalidField("statusTimestampAfter", "must be a time as 2023-10-27T10:00:00Z");
        }
    }

    private static Optional<String> text(JsonNode params, String name) {
        if (!params.hasNonNull(name) || params.path(name).asText().isEmpty()) {
            return Optional.empty();
        }
        if (!params.path(name).isTextual()) {
            throw RpcError.invalidField(name, "must be a string");
        }
        return Optional.of(params.path(name).textValue());
    }
}
