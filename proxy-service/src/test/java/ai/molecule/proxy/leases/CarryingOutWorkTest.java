package ai.molecule.proxy.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.reconcilers.Reconcilers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is claimed is held while somebody works on it, and no longer. */
@ExtendWith(VertxExtension.class)
class CarryingOutWorkTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LeaseRunner.Pace PACE = new LeaseRunner.Pace(Duration.ofMillis(150), Duration.ofMillis(50), 1);

    @SuppressWarnings("NullAway.Init")
    private Context loop;

    private record Work(Claim held) implements Leased {}

    /** Has one row, due again whenever it is asked for. */
    private static final class OneRow implements LeaseStore<Work> {
        final AtomicInteger claims = new AtomicInteger();
        final List<Claim> renewed = new CopyOnWriteArrayList<>();
        final List<Claim> released = new CopyOnWriteArrayList<>();
        final Promise<Void> mayAnswer = Promise.promise();

        @Override
        public Future<List<Work>> claim(int max, Duration lease) {
            var work = new Work(new Claim(UUID.randomUUID(), claims.incrementAndGet()));
            return mayAnswer.future().map(List.of(work));
        }

        @Override
        public Future<Void> renew(Collection<Claim> held, Duration lease) {
            renewed.addAll(held);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> release(Collection<Claim> held) {
            released.addAll(new ArrayList<>(held));
            return Future.succeededFuture();
        }
    }

    @Test
    void work_whose_worker_throws_is_let_go_and_the_next_is_taken(Vertx vertx) {
        var store = new OneRow();
        store.mayAnswer.complete();

        var runner = start(vertx, store, work -> {
            throw new IllegalStateException("broken");
        });

        await().atMost(PATIENCE).until(() -> store.claims.get() > 3);
        stop(runner).await();
    }

    @Test
    void what_is_worked_on_is_renewed_and_given_back_at_the_end(Vertx vertx) {
        var store = new OneRow();
        store.mayAnswer.complete();
        var runner = start(vertx, store, work -> Promise.<Void>promise().future());
        await().atMost(PATIENCE).until(() -> store.renewed.size() > 1);

        stop(runner).await();

        assertThat(store.claims).hasValue(1);
        assertThat(store.released).containsExactly(store.renewed.getFirst());
    }

    @Test
    void what_a_claim_brings_after_the_end_is_given_back(Vertx vertx) {
        var store = new OneRow();
        var taken = new AtomicInteger();
        var runner = start(vertx, store, work -> {
            taken.incrementAndGet();
            return Future.succeededFuture();
        });
        await().atMost(PATIENCE).until(() -> store.claims.get() == 1);

        var stopped = stop(runner);
        loop.runOnContext(now -> store.mayAnswer.complete());
        stopped.await();

        assertThat(store.released).hasSize(1);
        assertThat(taken).hasValue(0);
    }

    private LeaseRunner<Work> start(Vertx vertx, OneRow store, Function<Work, Future<Void>> advance) {
        var worker = new LeaseRunner.Worker<Work>() {
            @Override
            public Future<Void> advance(Work work) {
                return advance.apply(work);
            }

            @Override
            public void stop() {}
        };
        var runner = new LeaseRunner<>(
                vertx, store, worker, PACE, new Reconcilers(Clock.systemUTC()), "work", "carries work out");
        loop = vertx.getOrCreateContext();
        loop.runOnContext(now -> runner.start());
        return runner;
    }

    private Future<?> stop(LeaseRunner<Work> runner) {
        Promise<Object> stopped = Promise.promise();
        loop.runOnContext(now -> runner.stop().map(done -> (Object) done).onComplete(stopped));
        return stopped.future();
    }
}
