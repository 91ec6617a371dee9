package ai.molecule.proxy.leases;

import ai.molecule.common.leases.RenewalStreak;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Claiming, keeping and giving back. */
public interface LeaseStore<W extends Leased> {

    /**
     * Takes due rows that nobody holds, for at least {@code lease}; none when the database's clock is at {@code until} already, see
     * {@link RenewalStreak#judgesUntil}.
     */
    Future<List<W>> claim(int max, Duration lease, Instant until);

    /** Answers when that was, by the database's clock; to be asked also while nothing is held. */
    Future<Instant> renew(Collection<Claim> held, Duration lease);

    /** Gives them back unchanged, due at once. */
    Future<Void> release(Collection<Claim> held);
}
