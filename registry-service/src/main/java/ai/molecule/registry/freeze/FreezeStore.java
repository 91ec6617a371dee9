package ai.molecule.registry.freeze;

import io.vertx.core.Future;
import java.time.Duration;

/** What {@link RestartFreeze} needs from persistence. Deaths are written by the transition that is one. All times are the database's. */
public interface FreezeStore {

    /** Counts deaths within the window, and the living only when there were enough of them to matter. */
    Future<Freeze> find();

    /** Whether this call froze restarts; false when they were already. */
    Future<Boolean> freeze(int died);

    /** Remembers since when the engine is well, or forgets it. */
    Future<Void> seen(boolean healthy);

    /** Takes the one restart that may be tried now; false when none may. */
    Future<Boolean> tryOne();

    /** Ends the freeze; deaths before now no longer count. */
    Future<Void> thaw();

    /** Deletes deaths that no longer count. */
    Future<Void> forgetDeaths(Duration kept);
}
