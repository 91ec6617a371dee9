package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.proxy.a2a.calls.DeferredMessage;

/** What became of a {@link DeferredMessage} that was taken to its agent. */
public sealed interface DispatchResult {

    /** The agent's own bytes; of a stream what its events make together. */
    record Answered(byte[] body) implements DispatchResult {}

    /** The agent answered with an error status. */
    record Refused(int status, String error) implements DispatchResult {}

    /** The agent has no capacity and has run nothing. */
    record Busy() implements DispatchResult {}

    /** For an agent that fetches its messages: it has got it once this row is committed, which is the caller's to do. */
    record Kept(ActivityRow message) implements DispatchResult {}
}
