package ai.molecule.events.sockets;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.json.Json;
import ai.molecule.events.hub.Hub;
import ai.molecule.events.hub.Subscriber;
import ai.molecule.events.hub.View;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a canvas sends on its socket: {@code {"view":{"workspaces":["<id>",…],"every":<ms>}}}, or {@code {"view":null}}. Whatever else it
 * says is dropped.
 */
final class AskedViews {

    /** Of one socket in a second; a page that is dragged says it some ten times. */
    private static final int VIEWS_PER_SECOND = 20;

    private static final long SECOND_NANOS = 1_000_000_000;
    private static final int EVERY_MILLIS = 250;
    private static final int EVERY_MILLIS_MIN = 100;
    private static final int EVERY_MILLIS_MAX = 10_000;

    private final Hub hub;
    private final Subscriber subscriber;
    private long secondBegan;
    private int inSecond;

    AskedViews(Hub hub, Subscriber subscriber) {
        this.hub = hub;
        this.subscriber = subscriber;
    }

    void heard(String message) {
        if (!message.startsWith("{")) {
            return;
        }
        if (tooMany()) {
            hub.refuseView(subscriber, "too many views, at most %d a second".formatted(VIEWS_PER_SECOND));
            return;
        }
        try {
            var view = Json.parse(message.getBytes(StandardCharsets.UTF_8)).get("view");
            if (view != null) {
                hub.look(subscriber, viewOf(view));
            }
        } catch (IOException noJson) {
            hub.refuseView(subscriber, "invalid JSON");
        } catch (IllegalArgumentException refused) {
            hub.refuseView(subscriber, String.valueOf(refused.getMessage()));
        }
    }

    private boolean tooMany() {
        long now = System.nanoTime();
        if (inSecond == 0 || now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            inSecond = 0;
        }
        return ++inSecond > VIEWS_PER_SECOND;
    }

    /** Null for everything; fails with what is wrong. */
    private static @Nullable View viewOf(JsonNode view) {
        if (view.isNull()) {
            return null;
        }
        var every = view.path("every");
        if (!every.isMissingNode()
                && (!every.isInt() || every.asInt() < EVERY_MILLIS_MIN || every.asInt() > EVERY_MILLIS_MAX)) {
            throw new IllegalArgumentException(
                    "every must be milliseconds from %d to %d".formatted(EVERY_MILLIS_MIN, EVERY_MILLIS_MAX));
        }
        return new View(idsOf(view.path("workspaces")), Duration.ofMillis(every.asInt(EVERY_MILLIS)));
    }

    private static Set<UUID> idsOf(JsonNode workspaces) {
        if (!workspaces.isArray() || workspaces.size() > View.WORKSPACES_MAX) {
            throw new IllegalArgumentException("workspaces must be at most %d ids".formatted(View.WORKSPACES_MAX));
        }
        Set<UUID> ids = new HashSet<>();
        workspaces.forEach(id ->
                ids.add(Ids.find(id.asText()).orElseThrow(() -> new IllegalArgumentException("invalid workspace ID"))));
        return ids;
    }
}
