package ai.molecule.proxy.delegations;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.LeaseStore;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * Delegations as those who carry them out see them. Everything that takes a claim answers whether it was still held, and changes
 * nothing otherwise; every step but {@link #sending} gives the claim back.
 */
public interface WorkStore extends LeaseStore<Delegation> {

    /** From now on bytes may have been sent; the claim stays. */
    Future<Boolean> sending(Claim claim);

    /** Nothing was sent. */
    Future<Boolean> sendAgain(Claim claim, Duration pause, boolean counts);

    Future<Boolean> lookUp(Claim claim, Duration pause, boolean counts);

    /** Until the deadline, unless an outcome comes from elsewhere; {@code message}, which the target fetches, is there from then on. */
    Future<Boolean> awaitReply(Claim claim, ActivityRow message);

    /** In the target's queue, until the deadline or the outcome; false also when that queue is full. */
    Future<Boolean> awaitCapacity(Claim claim, DeferredMessage deferred, String delegationId);

    /** The outcome of the claim's holder. */
    Future<Boolean> end(Claim claim, Outcome outcome);

    /** Ends what waits in its target's queue and takes it out there; with {@code unknown} when it is at its target already. */
    Future<Boolean> withdraw(Claim claim, Outcome undelivered, Outcome unknown);

    /** An answer is the target's own word: it counts whoever holds the claim meanwhile. */
    Future<Boolean> answered(Claim claim, Outcome outcome);
}
