package ai.molecule.canvas;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What is said to the agents of a {@link StagedPlatform}, what they answer, and what they are at. */
final class StagedTalk {

    private final StagedPlatform platform;
    private final JsonArray activity = new JsonArray();
    private final List<JsonObject> tasks = new CopyOnWriteArrayList<>();
    private final List<HttpServerResponse> unfinished = new CopyOnWriteArrayList<>();

    /** Empty goes on until somebody stops it, or it is finished. */
    volatile String answer = "Done.";

    /** Parts that come with answers. */
    volatile JsonArray files = new JsonArray();

    /** Messages wait until the agent is free. */
    volatile boolean busy;

    /** The piece of work that messages of people belong to from now on, which is told of each by its id; null tells of none. */
    volatile @Nullable String workOfMessages;

    StagedTalk(StagedPlatform platform) {
        this.platform = platform;
    }

    void said(String id, String words, String answered) {
        said(id, null, words, answered);
    }

    /** @param by another agent; null is a person */
    synchronized void said(String id, @Nullable String by, String words, String answered) {
        activity.getList()
                .addFirst(new JsonObject()
                        .put("id", UUID.randomUUID().toString())
                        .put("workspace_id", id)
                        .put("source_id", by)
                        .put("activity_type", "a2a_receive")
                        .put("method", "message/send")
                        .put("status", "ok")
                        .put("created_at", Instant.now().minusSeconds(90).toString())
                        .put("duration_ms", 4200)
                        .put(
                                "request_body",
                                JsonObject.of("params", JsonObject.of("message", JsonObject.of("parts", parts(words)))))
                        .put(
                                "response_body",
                                JsonObject.of("result", JsonObject.of("kind", "message", "parts", parts(answered)))));
        platform.ephemeral(
                "ACTIVITY_LOGGED",
                id,
                new JsonObject().put("activity_type", "a2a_receive").put("source_id", by));
    }

    private static JsonArray parts(String words) {
        return JsonArray.of(JsonObject.of("kind", "text", "text", words));
    }

    /** {@code GET …/activity}. */
    synchronized Buffer activityOf(String path) {
        return new JsonArray(((List<?>) activity.getList())
                        .stream()
                                .filter(row -> path.contains(((JsonObject) row).getString("workspace_id")))
                                .toList())
                .toBuffer();
    }

    /** {@code GET …/tasks}. */
    Buffer tasksOf(String path) {
        return new JsonArray(tasks.stream()
                        .filter(row -> path.contains(row.getString("workspace_id")))
                        .toList())
                .toBuffer();
    }

    /** {@code POST …/a2a}. */
    void take(HttpServerRequest request, String id, JsonObject said) {
        var parameters = said.getJsonObject("params", new JsonObject());
        switch (said.getString("method", "")) {
            case "molecule/tasks/byMessage" ->
                answer(request, JsonObject.of("id", "task-of-" + parameters.getString("messageId")));
            case "tasks/cancel" ->
                answer(request, JsonObject.of("kind", "task", "status", JsonObject.of("state", "canceled")));
            default -> {
                if (busy) {
                    var queued = JsonObject.of("queued", true, "queue_id", "q-1", "queue_depth", 3);
                    StagedPlatform.json(request, 202, queued.toBuffer());
                    return;
                }
                var message = parameters.getJsonObject("message");
                String work = workOfMessages;
                if (work != null && message != null) {
                    runs(id, message.getString("messageId"), work, "asked");
                }
                stream(request, id);
            }
        }
    }

    private static void answer(HttpServerRequest request, JsonObject result) {
        StagedPlatform.json(request, 200, JsonObject.of("result", result).toBuffer());
    }

    /** A message of a person that its agent is at. */
    void runs(String id, String message, String work, String preview) {
        tasks.add(new JsonObject()
                .put("workspace_id", id)
                .putNull("caller_id")
                .put("work_id", work)
                .put("message_id", message)
                .put("preview", preview)
                .put("status", "running")
                .put("started_at", Instant.now().minusSeconds(30).toString()));
    }

    /** Ends the answers that go on. */
    void finish(String words) {
        tasks.clear();
        for (var response : unfinished) {
            tell(response, JsonObject.of("kind", "artifact-update", "artifact", JsonObject.of("parts", parts(words))));
            end(response);
        }
        unfinished.clear();
    }

    private void stream(HttpServerRequest request, String id) {
        var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
        tell(
                response,
                JsonObject.of(
                        "kind", "status-update", "taskId", "task-1", "status", JsonObject.of("state", "working")));
        if (answer.isEmpty()) {
            unfinished.add(response);
            response.closeHandler(closed -> unfinished.remove(response));
            return;
        }
        var artifact = JsonObject.of("parts", parts(answer).addAll(files));
        tell(response, JsonObject.of("kind", "artifact-update", "taskId", "task-1", "artifact", artifact));
        end(response);
        said(id, "(asked)", answer);
        platform.work.asked("(asked)", id, "done", 2);
    }

    private static void tell(HttpServerResponse response, JsonObject result) {
        response.write("data: " + JsonObject.of("result", result) + "\n\n");
    }

    private static void end(HttpServerResponse response) {
        tell(
                response,
                JsonObject.of("kind", "status-update", "status", JsonObject.of("state", "completed"), "final", true));
        response.end();
    }
}
