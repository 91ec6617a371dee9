package ai.molecule.proxy.protocol;

import java.util.Optional;

/**
 * One version of the A2A protocol. Messages of every version pass unchanged; only this much of them is understood, so that
 * streams can be resumed and tasks be told of in all.
 */
public sealed interface Protocol permits Protocol03, Protocol10 {

    /** What a method is to the proxy. */
    enum Method {
        STREAM,
        RESUBSCRIBE,
        GET_TASK,
        CANCEL_TASK,
        OTHER
    }

    Protocol V0_3 = new Protocol03();
    Protocol V1_0 = new Protocol10();

    /** As {@code A2A-Version} names it. */
    String version();

    Method methodOf(String name);

    /** Whether only this version has a method of that name. */
    boolean owns(String method);

    /** @param json an event's data or a whole answer; empty when it tells of no task */
    Optional<Sighting> sight(byte[] json);

    /** The request that follows a task again. */
    byte[] resubscribe(String rpcId, String taskId);

    /** The request for a task as it is. */
    byte[] getTask(String rpcId, String taskId);

    /** The event that says that a task has ended so, made where the agent did not say it on a stream itself. */
    String finalEvent(String rpcId, Sighting end);

    /** A task as its last status tells of it, without history and artifacts. */
    String task(Sighting seen);

    static Protocol of(String version) {
        return version.equals(V1_0.version()) ? V1_0 : V0_3;
    }
}
