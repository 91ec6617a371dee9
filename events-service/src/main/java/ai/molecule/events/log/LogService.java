package ai.molecule.events.log;

import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Pages of the event log for people and scripts. */
public record LogService(LogStore store, Pause pause) {

    /** Whoever has just changed something expects to find its event, so a row without a position is waited for, this often and this long. */
    private static final long SETTLE_STEP_MILLIS = 20;

    private static final int SETTLE_STEPS = 10;

    /** Completes after so many milliseconds; a timer outside tests. */
    @FunctionalInterface
    public interface Pause {
        Future<?> of(long time, TimeUnit unit);
    }

    /** Every event that was committed before the call is considered, unless the sequencer is slower than 200 ms. */
    public Future<List<LoggedEvent>> page(LogPage page) {
        return settled().compose(settled -> store.page(page));
    }

    /** Completes when what was committed before the call has its position, or after 200 ms. */
    public Future<?> settled() {
        return settle(SETTLE_STEPS);
    }

    private Future<?> settle(int steps) {
        return store.hasUnnumbered().compose(waiting -> {
            if (!waiting || steps == 0) {
                return Future.succeededFuture();
            }
            return pause.of(SETTLE_STEP_MILLIS, TimeUnit.MILLISECONDS).compose(later -> settle(steps - 1));
        });
    }
}
