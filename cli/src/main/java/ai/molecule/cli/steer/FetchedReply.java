package ai.molecule.cli.steer;

import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * The reply of an agent that fetches its messages. It does not come as the answer of a request, but as a notification in the agent's
 * activity, behind the row of the message.
 */
final class FetchedReply {

    private static final String NOTIFICATION = "notify";

    /** Rows of a busy agent that may have come between the message and the look for it. */
    private static final int ROWS = 100;

    /** Each request is held open so long; less than the 10 s after which a call is given up. */
    private static final int HELD_OPEN_SECONDS = 8;

    private final PlatformApi api;
    private final String activity;

    /** @param agent its id */
    FetchedReply(PlatformApi api, String agent) {
        this.api = api;
        this.activity = "/workspaces/" + agent + "/activity?limit=" + ROWS;
    }

    /**
     * Waits for the first notification behind a message.
     *
     * @param messageId as the message was sent
     * @return its row, with {@code response_body.result} or a {@code summary}; empty when none came in time, or when the message is not
     *     among the newest rows
     */
    Optional<JsonObject> to(String messageId, Duration patience) throws IOException {
        var row = rowOf(messageId);
        long end = System.nanoTime() + patience.toNanos();
        while (row.isPresent() && System.nanoTime() - end < 0) {
            for (Object each : api.list(activity + "&since_id=" + row.get() + "&wait=" + HELD_OPEN_SECONDS)) {
                if (each instanceof JsonObject next) {
                    if (NOTIFICATION.equals(next.getValue("method"))) {
                        return Optional.of(next);
                    }
                    row = Optional.of(next.getString("id"));
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> rowOf(String messageId) throws IOException {
        return api.list(activity).stream()
                .filter(JsonObject.class::isInstance)
                .map(JsonObject.class::cast)
                .filter(row -> messageId.equals(messageOf(row).getValue("messageId")))
                .map(row -> row.getString("id"))
                .findFirst();
    }

    private static JsonObject messageOf(JsonObject row) {
        return row.getValue("request_body") instanceof JsonObject request
                        && request.getValue("params") instanceof JsonObject params
                        && params.getValue("message") instanceof JsonObject message
                ? message
                : new JsonObject();
    }

    /** What a notification says. */
    static String words(JsonObject notification) {
        return notification.getValue("response_body") instanceof JsonObject response
                        && response.getValue("result") instanceof String result
                ? result
                : notification.getString("summary", "");
    }
}
