package ai.molecule.common.loops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.reconcilers.Reconcilers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A table of 25 old rows, of which a batch deletes 10. */
@ExtendWith(VertxExtension.class)
class PruningTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMillis(1);

    private final AtomicInteger rows = new AtomicInteger(25);
    private final List<Integer> batches = new CopyOnWriteArrayList<>();

    @Test
    void full_batches_follow_each_other_at_once_from_soon_after_the_start(Vertx vertx) {
        vertx.getOrCreateContext().runOnContext(now -> pruning(vertx).start());

        await().until(() -> batches.size() >= 3);

        assertThat(batches).containsExactly(10, 10, 5);
    }

    @Test
    void no_batch_begins_after_the_end(Vertx vertx) {
        Future<Void> behindTheFirst =
                Future.future(done -> vertx.getOrCreateContext().runOnContext(now -> {
                    pruning(vertx).start().stop();
                    vertx.setTimer(SOON.toMillis() + 1, due -> done.complete());
                }));

        behindTheFirst.await();

        assertThat(batches).isEmpty();
    }

    private Pruning pruning(Vertx vertx) {
        var report = new Reconcilers(Clock.systemUTC()).add("pruning", "forgets rows");
        return new Pruning(vertx, report, NEVER, SOON, 10, this::delete);
    }

    private Future<Integer> delete(int max) {
        int deleted = Math.min(max, rows.get());
        rows.addAndGet(-deleted);
        batches.add(deleted);
        return Future.succeededFuture(deleted);
    }
}
