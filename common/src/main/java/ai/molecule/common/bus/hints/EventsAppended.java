package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;

/** Recorded events were committed: the sequencer numbers them now instead of at its next tick. */
public record EventsAppended() {

    public static final Hint<EventsAppended> HINT = new Hint<>("hint.events-appended", EventsAppended.class);
}
