package ai.molecule.common.leases;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a replica may take what others held: while its own renewals have followed each other for a whole lease without a gap.
 * After an outage of the database, or a pause of this replica, everybody's leases have ended, also of those who live and have not had
 * the time to renew. All times are the database's, so that neither a skewed clock nor a stopped process counts.
 */
public final class RenewalStreak {

    /** Renewals that are due in one gap that is allowed: one may be late, or fail and be tried again. */
    public static final int RENEWALS_PER_LEASE = 4;

    private final Duration lease;
    private final Duration gapMax;
    private final boolean trusting;
    private @Nullable Instant since;
    private @Nullable Instant last;

    private RenewalStreak(Duration lease, boolean trusting) {
        this.lease = lease;
        this.gapMax = lease.dividedBy(2);
        this.trusting = trusting;
    }

    /** May judge at its first renewal: one that has just started has seen no gap, and its work shall not wait. */
    public static RenewalStreak trusting(Duration lease) {
        return new RenewalStreak(lease, true);
    }

    /** May judge a lease after its first renewal. */
    public static RenewalStreak proven(Duration lease) {
        return new RenewalStreak(lease, false);
    }

    /** @param at when the database carried out a renewal, by its own clock */
    public void renewed(Instant at) {
        if (last == null) {
            since = trusting ? at.minus(lease) : at;
        } else if (at.isBefore(last) || Duration.between(last, at).compareTo(gapMax) > 0) {
            since = at;
        }
        last = at;
    }

    /**
     * Until when, by the database's clock, leases that have ended may be taken; empty while they may not. A statement has to look at this
     * itself: one that was sent before the database stood still is carried out after.
     */
    public Optional<Instant> judgesUntil() {
        return since == null || last == null || Duration.between(since, last).compareTo(lease) < 0
                ? Optional.empty()
                : Optional.of(last.plus(gapMax));
    }
}
