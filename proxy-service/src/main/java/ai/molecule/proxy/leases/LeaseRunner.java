package ai.molecule.proxy.leases;

import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.Reconcilers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is due: claims it in batches, holds each lease while somebody works on it, and looks again when poked and at
 * every tick. What cannot be written down is let go of; the lease ends and somebody goes on. To be used on one event loop.
 */
public final class LeaseRunner<W extends Leased> {

    private static final Logger LOGGER = LoggerFactory.getLogger(LeaseRunner.class);

    private static final int BATCH_MAX = 64;
    private static final int RENEWALS_PER_LEASE = 3;
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
        var renewal = pace.lease().dividedBy(RENEWALS_PER_LEASE);
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
        return room <= 0
                ? Future.succeededFuture()
                : store.claim(room, pace.lease()).compose(work -> taken(work, room));
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
        held.put(claim.id(), claim);
        advance(work).onComplete(done -> {
            boolean full = held.size() >= pace.underWayMax();
            held.remove(claim.id(), claim);
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

    private Future<Void> renew() {
        return held.isEmpty() ? Future.succeededFuture() : store.renew(List.copyOf(held.values()), pace.lease());
    }
}
