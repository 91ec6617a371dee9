package ai.molecule.registry.suspicions;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/** What {@link SilentAgents} needs from persistence. Suspicions begin in the transaction that takes an agent offline. */
public interface SuspicionStore {

    /** Forgets those who were heard again, replaced, paused or removed, or whose status changed otherwise. */
    Future<Void> forgetCleared();

    /** Those to look at now, the longest due first. */
    Future<List<Suspicion>> due(Instant now, int max);

    /** Keeps what was learned, unless the suspicion is gone or about another silence by now. */
    Future<Void> keep(Suspicion suspicion, Instant dueAt);
}
