package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;

/** Recorded events up to this position can be read: every hub reads them now instead of at its next tick. */
public record EventsNumbered(long seq) {

    public static final Hint<EventsNumbered> HINT = new Hint<>("hint.events-numbered", EventsNumbered.class);
}
