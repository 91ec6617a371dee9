package ai.molecule.proxy.leases;

import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.Reconcilers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is due: claims it in batches, holds each lease while somebody works on it, and looks again when poked and at
 * every tick. What cannot be written down is let go of; the lease ends and somebody goes on. After an outage it first renews what it
 * holds, and claims nothing until everybody had a lease's time to do so, see {@link RenewalStreak}. To be used on one event loop.
 */
public final class LeaseRunner<W extends Leased> {

    private static final Logger LOGGER = LoggerFactory.getLogger(LeaseRunner.class);

    private static final int BATCH_MAX = 64;
    private static final Duration CLAIM_DEADLINE = Duration.ofSeconds(10);

    /** What is done with a row; {@link #advance} completes when its claim was given back. */
    public interface Worker<W> {

        Future<Void> advance(W work);

        /** From now on nothing that comes back is looked at. */
        void stop();
    }

    /**
     * @param tick how often due work is looked for without a poke
     * @param underWayMax rows in this replica's hands at one time
     */
    public record Pace(Duration lease, Duration tick, int underWayMax) {}

    private final LeaseStore<W> store;
    private final Worker<W> worker;
    private final Pace pace;
    private final Loop claiming;
    private final Loop renewing;
    private final RenewalStreak streak;
    private final Map<UUID, Claim> held = new HashMap<>();
    private boolean stopped;

    /**
     * @param name of what it carries out, as {@link Reconcilers#add} wants it
     * @param purpose what it does, in one sentence
     */
    public LeaseRunner(
            Vertx vertx,
            LeaseStore<W> store,
            Worker<W> worker,
            Pace pace,
            Reconcilers reconcilers,
            String name,
            String purpose) {
        this.store = store;
        this.worker = worker;
        this.pace = pace;
        this.claiming = new Loop(
                vertx,
                reconcilers.add(name, purpose),
                "PostgreSQL",
                new Loop.Times(pace.tick(), CLAIM_DEADLINE),
                this::claim);
        this.streak = RenewalStreak.trusting(pace.lease());
        var renewal = pace.lease().dividedBy(RenewalStreak.RENEWALS_PER_LEASE);
        this.renewing = new Loop(
                vertx,
                reconcilers.add(name + "-leases", "holds what is worked on"),
                "PostgreSQL",
                new Loop.Times(renewal, renewal),
                this::renew);
    }

    public void start() {
        claiming.start();
        renewing.start();
        renewing.poke();
    }

    /** Lets go of everything, so that another replica goes on at once. */
    public Future<?> stop() {
        stopped = true;
        worker.stop();
        return Future.join(claiming.stop(), renewing.stop(), release(List.copyOf(held.values())));
    }

    /** Something may be due now, of whomever: not only what the request that says so brought. */
    public void poke() {
        claiming.poke();
    }

    private Future<?> claim() {
        int room = Math.min(BATCH_MAX, pace.underWayMax() - held.size());
        var until = streak.judgesUntil();
        if (until.isEmpty()) {
            return Future.succeededFuture("takes nothing until leases were renewed without a gap for " + pace.lease());
        }
        return room <= 0
                ? Future.succeededFuture()
                : store.claim(room, pace.lease(), until.get()).compose(work -> taken(work, room));
    }

    private Future<?> taken(List<W> work, int room) {
        if (stopped) {
            return release(work.stream().map(Leased::held).toList());
        }
        work.forEach(this::take);
        if (work.size() == room) {
            poke();
        }
        return Future.succeededFuture("took %d".formatted(work.size()));
    }

    private Future<Void> release(List<Claim> claims) {
        return claims.isEmpty() ? Future.succeededFuture() : store.release(claims);
    }

    private void take(W work) {
        var claim = work.held();
        if (held.put(claim.id(), claim) != null) {
            return; // whoever works on it here already goes on, and the newest claim is the one to renew
        }
        advance(work).onComplete(done -> {
            boolean full = held.size() >= pace.underWayMax();
            var latest = held.remove(claim.id());
            if (latest != null && !latest.equals(claim) && !stopped) {
                release(List.of(latest))
                        .onSuccess(due -> poke()); // what it wrote with its own claim may not have counted
            }
            if (done.failed() && !stopped) {
                LOGGER.atWarn()
                        .setCause(done.cause())
                        .addKeyValue("workId", claim.id())
                        .log("work let go, somebody goes on when its lease ends");
            }
            if (full) {
                poke();
            }
        });
    }

    /** One that throws has let go of it too, or its lease would be renewed for ever. */
    private Future<Void> advance(W work) {
        try {
            return worker.advance(work);
        } catch (RuntimeException thrown) {
            return Future.failedFuture(thrown);
        }
    }

    /** Also of nothing: that the database answers is what allows to claim. */
    private Future<?> renew() {
        return store.renew(List.copyOf(held.values()), pace.lease())
                .onSuccess(this::renewed)
                .onFailure(away -> renewing.poke()); // before the leases end, if it can be
    }

    private void renewed(Instant at) {
        boolean judged = streak.judgesUntil().isPresent();
        streak.renewed(at);
        if (!judged && streak.judgesUntil().isPresent()) {
            poke();
        }
    }
}
