package ai.molecule.proxy.delegations;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.UpsertActivity;
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
    private boolean running;
    private boolean more;
    private boolean stopped;

    /** @param keep how long finished delegations are listed */
    public DelegationProjector(Vertx vertx, Bus bus, ProjectionStore store, Duration keep) {
        this.vertx = vertx;
        this.bus = bus;
        this.store = store;
        this.keep = keep;
    }

    public void start() {
        vertx.setPeriodic(1, EVERY.toMillis(), tick -> poke());
        vertx.setPeriodic(PRUNE_EVERY.toMillis(), tick -> prune());
    }

    /** What is behind stays so until the next start. */
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
                LOGGER.atWarn().setCause(done.cause()).log("activity rows of delegations are behind");
            } else if (more) {
                poke();
            }
        });
    }

    private Future<Void> run() {
        return store.behind(CHARS_MAX).compose(shown -> {
            if (shown.isEmpty()) {
                return Future.succeededFuture();
            }
            more = true;
            return tell(shown).compose(told -> store.projected(shown));
        });
    }

    private Future<?> tell(List<Shown> shown) {
        var rows =
                shown.stream().flatMap(one -> DelegationRows.of(one).stream()).toList();
        return bus.call(UpsertActivity.CONTRACT, new UpsertActivity(rows));
    }

    private void prune() {
        store.prune(keep, PRUNED_MAX)
                .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("old delegations not forgotten"));
    }
}
