package ai.molecule.registry.liveness;

import ai.molecule.registry.lifecycle.Changed;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link LivenessSweep} needs from persistence. All times are the database's. */
public interface LivenessStore {

    /** How long somebody may be silent; null exempts that kind. */
    record Limits(@Nullable Duration own, @Nullable Duration external) {}

    /** A look at the clock, and whether this replica is the one that works for the next few seconds. */
    record Look(boolean mine, Instant at) {}

    /** A workspace found silent and now offline; {@code provisioned} when the platform runs its agent. */
    record Silenced(Changed changed, boolean provisioned) {

        UUID workspaceId() {
            return changed.workspaceId();
        }
    }

    /** When this replica does not claim again in time, another one can. */
    Future<Look> claim();

    /** Lets another replica work at once. */
    Future<Void> release();

    /** Heartbeats from the time to come, which only a clock set back explains, count as heard now; at most {@code max} of them. */
    Future<Void> pullBack(int max);

    /**
     * Takes live workspaces offline whose last heartbeat is older than their limit. At most {@code max} at once, each with its event, and those
     * that the platform runs with a suspicion. Nobody when the look was longer ago than {@link Watch} allows between two: then this process
     * stood still meanwhile.
     */
    Future<List<Silenced>> takeOffline(Limits limits, Look look, int max);

    /** Grows whenever the connection to the database was lost. */
    long losses();
}
