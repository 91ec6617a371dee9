package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Hint;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An ephemeral event: chat, activity and heartbeats, shown to whoever is connected and kept nowhere. Delivered to every replica
 * of events-service at most once, in the order one sender published.
 */
public record LiveEvent(String type, @Nullable UUID workspaceId, Instant timestamp, ObjectNode payload) {

    public static final Hint<LiveEvent> HINT = new Hint<>("events.live", LiveEvent.class);

    public void publishOn(Bus bus) {
        bus.publish(HINT, this);
    }

    /** As {@link Bus#publishAhead}. */
    public Future<Void> publishAheadOn(Bus bus) {
        return bus.publishAhead(HINT, this);
    }

    public Event toEvent() {
        return new Event(null, type, workspaceId, timestamp, payload);
    }
}
