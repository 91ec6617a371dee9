package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.proxy.a2a.calls.TaskWatch.Answered;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Function;

/**
 * Keeps whether tasks wait for a person also over an outage of the database: what is not kept then stands in the inbox for months. In the
 * order of the answers, and with a bound on those that wait. To be used on one event loop.
 */
final class OutlivingWatch {

    private static final int WAITING_MAX = 1_024;
    private static final long WAITING_MAX_BYTES = 16L << 20;

    private final Function<Answered, Future<Void>> keep;
    private final RepeatedWrites writes;
    private Future<Void> last = Future.succeededFuture();
    private int waiting;
    private long bytes;
    private boolean stopped;

    /** @param keep idempotent */
    OutlivingWatch(Vertx vertx, Function<Answered, Future<Void>> keep) {
        this.keep = keep;
        this.writes = new RepeatedWrites(vertx, () -> stopped);
    }

    /** Completes when it is kept; fails with what is no outage, or where too much waits already. */
    Future<Void> answered(Answered answer) {
        return waiting > 0
                ? later(answer)
                : keep.apply(answer)
                        .recover(failure ->
                                Postgres.outage(failure).isPresent() ? later(answer) : Future.failedFuture(failure));
    }

    /** From now on nothing is tried again. */
    void stop() {
        stopped = true;
    }

    private Future<Void> later(Answered answer) {
        int size = answer.answer().length;
        if (stopped || waiting >= WAITING_MAX || bytes + size > WAITING_MAX_BYTES) {
            return Future.failedFuture("too many answers wait for the database");
        }
        waiting++;
        bytes += size;
        var kept = last.transform(before -> writes.outlive(() -> keep.apply(answer)));
        last = kept.onComplete(done -> {
            waiting--;
            bytes -= size;
        });
        return kept;
    }
}
