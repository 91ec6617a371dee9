package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.bridge.A2aErrorCode;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.known.KnownTask;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code ListTasks} of 1.0 as the platform answers it, from the tasks that it has seen. A workspace sees those that its messages began; the
 * agent itself and the person see all. Histories and artifacts are their agent's: it is asked for them, until it does not answer.
 */
final class TaskLists {

    private static final int PAGE_DEFAULT = 50;
    private static final int PAGE_MAX = 100;

    /** Tasks that an agent is asked for at one time. */
    private static final int ASKED_AT_ONCE_MAX = 8;

    private static final String ANY_STATE = "TASK_STATE_UNSPECIFIED";

    private final KnownTasks known;
    private final TaskLookup lookup;

    TaskLists(KnownTasks known, TaskLookup lookup) {
        this.known = known;
        this.lookup = lookup;
    }

    /** What is asked for of each task besides its status. */
    private record Details(int historyLength, boolean artifacts) {

        boolean any() {
            return historyLength > 0 || artifacts;
        }
    }

    private static final class Wrong extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final String field;

        Wrong(String field, String why) {
            super(field + " " + why, null, false, false);
            this.field = field;
        }
    }

    Future<A2aAnswer> answer(Admission.Admitted reader, Rpc rpc, byte[] request) {
        JsonNode params = params(request);
        try {
            var question = question(reader, params);
            var details = new Details(count(params, "historyLength", 0, 0, Integer.MAX_VALUE), truth(params));
            return known.list(question)
                    .compose(page -> told(reader, page.tasks(), details)
                            .map(tasks -> Rpc.answer(rpc.id(), "result", result(tasks, page, question.size()))));
        } catch (Wrong wrong) {
            return Future.succeededFuture(new A2aAnswer.Whole(
                    200,
                    Buffer.buffer(Bridge.error(
                            rpc.id(),
                            Protocol.V1_0,
                            A2aErrorCode.INVALID_PARAMS,
                            wrong.field,
                            String.valueOf(wrong.getMessage())))));
        }
    }

    private static String result(ArrayNode tasks, KnownTasks.Page page, int size) {
        var result = Json.object();
        result.set("tasks", tasks);
        return Json.text(
                result.put("nextPageToken", page.more() ? token(page.tasks().getLast()) : "")
                        .put("pageSize", size)
                        .put("totalSize", page.total()));
    }

    private static JsonNode params(byte[] request) {
        try {
            return Json.parse(request).path("params");
        } catch (IOException notJson) {
            return Json.object();
        }
    }

    private static KnownTasks.Question question(Admission.Admitted reader, JsonNode params) {
        UUID asking = reader.sender().workspaceId();
        String tenant = text(params, "tenant");
        if (tenant != null && !tenant.equals(reader.target().toString())) {
            throw new Wrong("tenant", "is not this agent's");
        }
        return new KnownTasks.Question(
                reader.target(),
                reader.sender().self() ? null : asking,
                text(params, "contextId"),
                state(params),
                since(params),
                after(text(params, "pageToken")),
                count(params, "pageSize", PAGE_DEFAULT, 1, PAGE_MAX));
    }

    private static @Nullable String state(JsonNode params) {
        String named = text(params, "status");
        if (named == null || named.equals(ANY_STATE)) {
            return null;
        }
        return Stream.of(TaskState.values())
                .filter(state -> state.wireOf10().equals(named))
                .findFirst()
                .map(TaskState::wire)
                .orElseThrow(() -> new Wrong("status", "is no state that a task can have"));
    }

    private static @Nullable Instant since(JsonNode params) {
        String time = text(params, "statusTimestampAfter");
        try {
            return time == null ? null : OffsetDateTime.parse(time).toInstant();
        } catch (DateTimeException notATime) {
            throw new Wrong("statusTimestampAfter", "must be a time as 2023-10-27T10:00:00Z");
        }
    }

    private static int count(JsonNode params, String name, int otherwise, int min, int max) {
        JsonNode count = params.path(name);
        if (params.hasNonNull(name) && (!count.isInt() || count.intValue() < min || count.intValue() > max)) {
            throw new Wrong(name, "must be a number from " + min + (max == Integer.MAX_VALUE ? "" : " to " + max));
        }
        return count.asInt(otherwise);
    }

    private static boolean truth(JsonNode params) {
        JsonNode included = params.path("includeArtifacts");
        if (params.hasNonNull("includeArtifacts") && !included.isBoolean()) {
            throw new Wrong("includeArtifacts", "must be true or false");
        }
        return included.asBoolean();
    }

    /** Null where it says nothing. */
    private static @Nullable String text(JsonNode params, String name) {
        if (!params.hasNonNull(name) || params.path(name).asText("?").isEmpty()) {
            return null;
        }
        if (!params.path(name).isTextual()) {
            throw new Wrong(name, "must be a string");
        }
        return params.path(name).textValue().replace('\0', '\ufffd');
    }

    /** Where a page ended: the time of its last task in microseconds, and that task's id. */
    private static String token(KnownTask last) {
        long micros = last.at().getEpochSecond() * 1_000_000 + last.at().getNano() / 1_000;
        String place = micros + " " + last.taskId();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(place.getBytes(StandardCharsets.UTF_8));
    }

    private static KnownTasks.@Nullable After after(@Nullable String token) {
        if (token == null) {
            return null;
        }
        try {
            String[] place = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8).split(" ", 2);
            long micros = Long.parseLong(place[0]);
            return new KnownTasks.After(
                    Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1_000L),
                    place[1]);
        } catch (IllegalArgumentException | DateTimeException | ArrayIndexOutOfBoundsException notOurs) {
            throw new Wrong("pageToken", "is none that was given here");
        }
    }

    private Future<ArrayNode> told(Admission.Admitted reader, List<KnownTask> tasks, Details details) {
        var told = Json.MAPPER.createArrayNode();
        return details.any()
                ? whole(reader, tasks, details, 0, told)
                : Future.succeededFuture(
                        told.addAll(tasks.stream().map(TaskLists::known).toList()));
    }

    private Future<ArrayNode> whole(
            Admission.Admitted reader, List<KnownTask> tasks, Details details, int from, ArrayNode told) {
        if (from >= tasks.size()) {
            return Future.succeededFuture(told);
        }
        var several = tasks.subList(from, Math.min(tasks.size(), from + ASKED_AT_ONCE_MAX));
        List<Future<ObjectNode>> asked = new ArrayList<>();
        several.forEach(
                task -> asked.add(lookup.ask(reader, task.taskId()).map(json -> detailed(task, json, details))));
        return Future.join(asked).transform(done -> {
            for (int i = 0; i < several.size(); i++) {
                told.add(asked.get(i).succeeded() ? asked.get(i).result() : known(several.get(i)));
            }
            if (asked.stream().anyMatch(Future::succeeded)) {
                return whole(reader, tasks, details, from + several.size(), told);
            }
            tasks.subList(from + several.size(), tasks.size()).forEach(task -> told.add(known(task)));
            return Future.succeededFuture(told);
        });
    }

    private static ObjectNode known(KnownTask task) {
        var told = Json.object().put("id", task.taskId());
        if (task.contextId() != null) {
            told.put("contextId", task.contextId());
        }
        if (Json.stored(Bridge.status(task.status(), Protocol.V1_0)) instanceof ObjectNode status) {
            told.set("status", status.put("timestamp", Json.time(task.at())));
        }
        return told;
    }

    /** With what was asked for, and with the status that the list goes by. */
    private static ObjectNode detailed(KnownTask task, String json, Details details) {
        var told = known(task);
        JsonNode whole = Json.stored(Bridge.task(json, Protocol.V1_0));
        if (details.artifacts && whole.path("artifacts").isArray()) {
            told.set("artifacts", whole.get("artifacts"));
        }
        JsonNode history = whole.path("history");
        if (details.historyLength > 0 && history.isArray()) {
            var last = told.putArray("history");
            for (int i = Math.max(0, history.size() - details.historyLength); i < history.size(); i++) {
                last.add(history.get(i));
            }
        }
        return told;
    }
}
