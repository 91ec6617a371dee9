package ai.molecule.proxy.leases;

import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.tracing.Tracing;
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

    private final Vertx vertx;
    private final LeaseStore<W> store;
    private final Worker<W> worker;
    private final Pace pace;
    private final RunReport report;
    private final Map<UUID, Claim> held = new HashMap<>();
    private boolean claiming;
    private boolean more;
    private boolean away;
    private boolean stopped;

    /** @param report told after every look for due work */
    public LeaseRunner(Vertx vertx, LeaseStore<W> store, Worker<W> worker, Pace pace, RunReport report) {
        this.vertx = vertx;
        this.store = store;
        this.worker = worker;
        this.pace = pace;
        this.report = report;
    }

    public void start() {
        vertx.setPeriodic(pace.tick().toMillis(), tick -> poke());
        vertx.setPeriodic(pace.lease().dividedBy(RENEWALS_PER_LEASE).toMillis(), tick -> renew());
    }

    /** Lets go of everything, so that another replica goes on at once. */
    public Future<Void> stop() {
        stopped = true;
        worker.stop();
        return held.isEmpty() ? Future.succeededFuture() : store.release(List.copyOf(held.values()));
    }

    /** Something may be due now, of whomever: not only what the request that says so brought. */
    public void poke() {
        Tracing.apart(this::look);
    }

    private void look() {
        more = true;
        int room = Math.min(BATCH_MAX, pace.underWayMax() - held.size());
        if (stopped || claiming || room <= 0) {
            return;
        }
        claiming = true;
        more = false;
        store.claim(room, pace.lease()).onComplete(claimed -> {
            claiming = false;
            if (claimed.failed()) {
                if (!away && !stopped) {
                    LOGGER.atWarn().setCause(claimed.cause()).log("work cannot be claimed, trying at every tick");
                }
                away = true;
                report.failed(claimed.cause());
                return;
            }
            away = false;
            report.done("took %d".formatted(claimed.result().size()));
            claimed.result().forEach(this::take);
            if (more || claimed.result().size() == room) {
                look();
            }
        });
    }

    private void take(W work) {
        var claim = work.held();
        held.put(claim.id(), claim);
        worker.advance(work).onComplete(done -> {
            held.remove(claim.id(), claim);
            if (done.failed() && !stopped) {
                LOGGER.atWarn()
                        .setCause(done.cause())
                        .addKeyValue("workId", claim.id())
                        .log("work let go, somebody goes on when its lease ends");
            }
            if (more) {
                poke();
            }
        });
    }

    private void renew() {
        if (!held.isEmpty() && !stopped) {
            store.renew(List.copyOf(held.values()), pace.lease())
                    .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("leases not renewed"));
        }
    }
}
