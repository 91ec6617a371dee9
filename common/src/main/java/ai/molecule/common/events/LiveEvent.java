package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An ephemeral event: chat, activity and heartbeats, shown to whoever is connected and kept nowhere. */
public record LiveEvent(String type, @Nullable UUID workspaceId, Instant timestamp, ObjectNode payload) {

    /** With the others of this turn of the event loop, behind those that were published before. */
    public void publishOn(Bus bus) {
        bus.publishTogether(LiveEvents.HINT, this, LiveEvents::new);
    }

    public Event toEvent() {
        return new Event(null, type, workspaceId, timestamp, payload);
    }
}
