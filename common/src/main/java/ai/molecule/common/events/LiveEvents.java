package ai.molecule.common.events;

import ai.molecule.common.bus.Hint;
import java.util.List;

/**
 * Ephemeral events that became known together, in their order. Delivered to every replica of events-service at most once, those of one sender in the
 * order it published them.
 *
 * @param events at most 512
 */
public record LiveEvents(List<LiveEvent> events) {

    public static final Hint<LiveEvents> HINT = new Hint<>("events.live", LiveEvents.class);
}
