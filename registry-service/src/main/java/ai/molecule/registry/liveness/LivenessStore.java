package ai.molecule.registry.liveness;

import ai.molecule.registry.lifecycle.Changed;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link LivenessSweep} needs from persistence. */
public interface LivenessStore {

    /** Since when somebody counts as silent; null exempts that kind. */
    record Cutoffs(@Nullable Instant own, @Nullable Instant external) {}

    /** A workspace found silent and now offline; {@code provisioned} when the platform runs its agent. */
    record Silenced(Changed changed, boolean provisioned) {

        UUID workspaceId() {
            return changed.workspaceId();
        }
    }

    /** Whether this replica is the one that works, for the next few seconds; when it does not ask again in time, another one can be. */
    Future<Boolean> claim();

    /** Lets another replica work at once. */
    Future<Void> release();

    /**
     * Takes live workspaces offline whose last heartbeat is older than their cutoff, or later than {@code future}, which only a
     * clock set back explains. At most {@code max} at once, each with its event, and those that the platform runs with a
     * suspicion.
     */
    Future<List<Silenced>> takeOffline(Cutoffs cutoffs, Instant future, int max, Instant now);

    /** Grows whenever the connection to the database was lost. */
    long losses();
}
