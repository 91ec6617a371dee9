package ai.molecule.registry.suspicions;

import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What {@link SilentAgents} needs from persistence. Suspicions begin in the transaction that takes an agent offline. */
public interface SuspicionStore {

    /** Forgets those who were heard again, replaced, paused or removed, or whose status changed otherwise. */
    Future<Void> forgetCleared();

    /**
     * What is known at a moment of the database's clock.
     *
     * @param othersHeard whether anybody at all was heard lately
     */
    record Due(Instant now, boolean othersHeard, List<Suspicion> suspicions) {}

    /**
     * Those to look at now, the longest due first.
     *
     * @param lately how far back {@link Due#othersHeard} looks
     */
    Future<Due> due(Duration lately, int max);

    /** Keeps what was learned, unless the suspicion is gone or about another silence by now. */
    Future<Void> keep(Suspicion suspicion, Instant dueAt);
}
