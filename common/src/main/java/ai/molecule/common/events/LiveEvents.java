package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Hint;
import java.util.List;

/**
 * Several events like {@link LiveEvent} that became known together, in their order. Among them and those that are published by
 * themselves there is none.
 *
 * @param events at most 512
 */
public record LiveEvents(List<LiveEvent> events) {

    public static final Hint<LiveEvents> HINT = new Hint<>("events.live.several", LiveEvents.class);

    public void publishOn(Bus bus) {
        bus.publish(HINT, this);
    }
}
