package ai.molecule.proxy.protocol;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
        LIST_TASKS,
        OTHER
    }

    String VERSION_HEADER = "A2A-Version";

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

    /**
     * What a request uses (decision 35).
     *
     * @param version what the header or the query parameter says; nothing means 0.3
     * @return empty when no agent could be asked in that version
     */
    static Optional<Protocol> of(@Nullable String version, String method) {
        String named = version == null ? "" : version.strip();
        boolean is03 = named.isEmpty() || named.equals("0.3") || named.startsWith("0.3.");
        boolean is10 = named.equals("1.0") || named.startsWith("1.0.");
        if (!is03 && !is10) {
            return Optional.empty();
        }
        return Optional.of(is10 || V1_0.owns(method) ? V1_0 : V0_3);
    }

    static Protocol of(String version) {
        return version.equals(V1_0.version()) ? V1_0 : V0_3;
    }
}
