package ai.molecule.proxy.delegations;

import ai.molecule.proxy.delegations.Delegation.Claim;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Delegations as those who carry them out see them. Everything that takes a claim answers whether it was still held, and changes
 * nothing otherwise; every step but {@link #sending} gives the claim back.
 */
public interface WorkStore {

    /** Takes due delegations that nobody holds, for at least {@code lease}. */
    Future<List<Delegation>> claim(int max, Duration lease);

    Future<Void> renew(Collection<Claim> held, Duration lease);

    /** Gives them back unchanged, due at once. */
    Future<Void> release(Collection<Claim> held);

    /** From now on bytes may have been sent; the claim stays. */
    Future<Boolean> sending(Claim claim);

    /** Nothing was sent. */
    Future<Boolean> sendAgain(Claim claim, Duration pause, boolean counts);

    Future<Boolean> lookUp(Claim claim, Duration pause, boolean counts);

    /** Until the deadline, unless an outcome comes from elsewhere. */
    Future<Boolean> awaitReply(Claim claim);

    /** The outcome of the claim's holder. */
    Future<Boolean> end(Claim claim, Outcome outcome);

    /** An answer is the target's own word: it counts whoever holds the claim meanwhile. */
    Future<Boolean> answered(Claim claim, Outcome outcome);
}
