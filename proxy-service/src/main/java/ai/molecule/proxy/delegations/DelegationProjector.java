package ai.molecule.proxy.delegations;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.UpsertActivity;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the activity rows of delegations up to date: when poked and every 5 s, whatever is behind, in batches of at most 64
 * delegations and 4 Mi characters. Rows go out any number of times and are kept once. To be used on one event loop.
 */
public final class DelegationProjector {

    private static final Logger LOGGER = LoggerFactory.getLogger(DelegationProjector.class);

    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration PRUNE_EVERY = Duration.ofHours(1);
    private static final int PRUNED_MAX = 10_000;
    private static final long CHARS_MAX = 4L << 20;

    private final Vertx vertx;
    private final Bus bus;
    private final ProjectionStore store;
    private final Duration keep;
    private final RunReport report;
    private final RunReport pruning;
    private boolean running;
    private boolean more;
    private boolean stopped;

    /** @param keep how long finished delegations are listed */
    public DelegationProjector(Vertx vertx, Bus bus, ProjectionStore store, Duration keep, Reconcilers reconcilers) {
        this.vertx = vertx;
        this.bus = bus;
        this.store = store;
        this.keep = keep;
        this.report = reconcilers.add("delegation-rows", "shows what became of delegations as activity");
        this.pruning = reconcilers.add("delegation-pruning", "forgets delegations that ended long ago");
    }

    public void start() {
        vertx.setPeriodic(1, EVERY.toMillis(), tick -> poke());
        vertx.setPeriodic(PRUNE_EVERY.toMillis(), tick -> prune());
    }

    /** What is not shown yet is shown after the next start. */
    public void stop() {
        stopped = true;
    }

    /** Something changed. */
    public void poke() {
        more = true;
        if (running || stopped) {
            return;
        }
        running = true;
        more = false;
        run().onComplete(done -> {
            running = false;
            if (stopped) {
                return;
            }
            if (done.failed()) {
                report.failed(done.cause());
                LOGGER.atWarn().setCause(done.cause()).log("activity rows of delegations are behind");
                return;
            }
            report.done("showed %d".formatted(done.result()));
            if (more) {
                poke();
            }
        });
    }

    private Future<Integer> run() {
        return store.behind(CHARS_MAX).compose(shown -> {
            if (shown.isEmpty()) {
                return Future.succeededFuture(0);
            }
            more = true;
            return tell(shown).compose(told -> store.projected(shown)).map(shown.size());
        });
    }

    private Future<?> tell(List<Shown> shown) {
        var rows =
                shown.stream().flatMap(one -> DelegationRows.of(one).stream()).toList();
        return bus.call(UpsertActivity.CONTRACT, new UpsertActivity(rows));
    }

    private void prune() {
        pruning.follow(store.prune(keep, PRUNED_MAX)
                .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("old delegations not forgotten")));
    }
}
