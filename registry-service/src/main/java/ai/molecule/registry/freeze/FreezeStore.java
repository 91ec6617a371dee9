package ai.molecule.registry.freeze;

import io.vertx.core.Future;
import java.time.Instant;

/** What {@link RestartFreeze} needs from persistence. Deaths are written by the transition that is one. */
public interface FreezeStore {

    /** Counts deaths within the window, and the living only when there were enough of them to matter. */
    Future<Freeze> find(Instant now);

    /** Whether this call froze restarts; false when they were already. */
    Future<Boolean> freeze(int died, Instant now);

    /** Remembers since when engine and stores are well, or forgets it. */
    Future<Void> seen(boolean healthy, Instant now);

    /** Ends the freeze; deaths before now no longer count. */
    Future<Void> thaw(Instant now);

    /** Deletes deaths that no longer count. */
    Future<Void> forgetDeaths(Instant before);
}
