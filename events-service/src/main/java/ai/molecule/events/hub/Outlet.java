package ai.molecule.events.hub;

import io.vertx.core.Future;

/** The connection of a subscriber. */
public interface Outlet {

    /** Bytes a connection may have unsent before {@link #full} says so; as much again is tolerated after that. */
    int QUEUE_MAX_BYTES = 512 * 1024;

    boolean full();

    /** Queues the parcel; completes when it has left this process, fails when the connection is gone. */
    Future<Void> write(Parcel parcel);

    /** Ends the connection behind what is queued, at the latest ten seconds from now. */
    Future<Void> close(CloseReason why);
}
