package ai.molecule.proxy.a2a;

import ai.molecule.common.activity.ActivityRow;

/** What became of a {@link Parcel} that was taken to its agent. */
public sealed interface Reply {

    /** The agent's own bytes; of a stream its last event's data. */
    record Answered(byte[] body) implements Reply {}

    /** The agent answered with an error status. */
    record Refused(int status, String error) implements Reply {}

    /** The agent has no capacity and has run nothing. */
    record Busy() implements Reply {}

    /** For an agent that fetches its messages: it has got it once this row is committed, which is the caller's to do. */
    record Kept(ActivityRow message) implements Reply {}
}
