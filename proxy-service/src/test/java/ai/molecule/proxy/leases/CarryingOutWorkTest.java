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
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is claimed is held while somebody works on it, and no longer. */
@ExtendWith(VertxExtension.class)
class CarryingOutWorkTest {

    private static final LeaseRunner.Pace PACE = new LeaseRunner.Pace(Duration.ofMillis(150), Duration.ofMillis(50), 1);

    @SuppressWarnings("NullAway.Init")
    private Context loop;

    /** The database's. */
    private volatile InstantSource clock = InstantSource.system();

    private record Work(Claim held) implements Leased {}

    /** Has one row, due again whenever it is asked for. */
    private final class OneRow implements LeaseStore<Work> {
        final AtomicInteger claims = new AtomicInteger();
        final List<Claim> renewed = new CopyOnWriteArrayList<>();
        final List<Claim> released = new CopyOnWriteArrayList<>();
        final Promise<Void> mayAnswer = Promise.promise();
        final List<String> asked = new CopyOnWriteArrayList<>();
        volatile Supplier<List<UUID>> next = () -> List.of(UUID.randomUUID());
        volatile boolean away;

        @Override
        public Future<List<Work>> claim(int max, Duration lease, Instant until) {
            asked.add("claim");
            var due = next.get().stream()
                    .map(id -> new Work(new Claim(id, claims.incrementAndGet())))
                    .toList();
            return mayAnswer.future().map(due);
        }

        @Override
        public Future<Instant> renew(Collection<Claim> held, Duration lease) {
            asked.add("renew");
            renewed.addAll(held);
            return away ? Future.failedFuture("away") : Future.succeededFuture(clock.instant());
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

        await().until(() -> store.claims.get() > 3);
        stop(runner).await();
    }

    @Test
    void what_is_worked_on_is_renewed_and_given_back_at_the_end(Vertx vertx) {
        var store = new OneRow();
        store.mayAnswer.complete();
        var runner = start(vertx, store, work -> Promise.<Void>promise().future());
        await().until(() -> store.renewed.size() > 1);

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
        await().until(() -> store.claims.get() == 1);

        var stopped = stop(runner);
        loop.runOnContext(now -> store.mayAnswer.complete());
        stopped.await();

        assertThat(store.released).hasSize(1);
        assertThat(taken).hasValue(0);
    }

    @Test
    void a_row_that_is_worked_on_here_is_not_taken_a_second_time_and_its_newest_claim_is_renewed(Vertx vertx) {
        var store = new OneRow();
        var row = UUID.randomUUID();
        store.next = () -> List.of(row);
        store.mayAnswer.complete();
        var taken = new AtomicInteger();
        Promise<Void> over = Promise.promise();
        var runner = start(vertx, store, new LeaseRunner.Pace(PACE.lease(), PACE.tick(), 2), work -> {
            taken.incrementAndGet();
            return over.future();
        });

        await().until(() -> store.renewed.stream().anyMatch(claim -> claim.claim() > 2));
        assertThat(taken).hasValue(1);
        loop.runOnContext(now -> over.complete());

        await().until(() -> !store.released.isEmpty()); // what its worker wrote may not have counted
        assertThat(store.released.getFirst().claim()).isGreaterThan(1);
        stop(runner).await();
    }

    @Test
    void after_an_outage_nothing_is_claimed_before_a_lease_of_renewals(Vertx vertx) {
        var store = new OneRow();
        store.mayAnswer.complete();
        store.next = List::of;
        var now = new AtomicReference<>(Instant.EPOCH);
        clock = now::get;
        var runner = start(vertx, store, work -> Future.succeededFuture());
        await().until(() -> store.asked.contains("claim"));

        store.away = true;
        await().until(() -> store.asked.getLast().equals("renew"));
        now.set(Instant.EPOCH.plus(PACE.lease())); // in which nobody renewed
        store.away = false;
        store.asked.clear();
        await().until(() -> store.asked.contains("renew"));
        int renewal = store.asked.indexOf("renew");
        await().until(() -> store.asked.size() > renewal + 3);
        assertThat(List.copyOf(store.asked).stream().skip(renewal)).containsOnly("renew");

        for (int third = 0; third < 3; third++) {
            now.updateAndGet(before -> before.plus(PACE.lease().dividedBy(3)));
            int seen = store.asked.size();
            await().until(() -> store.asked.size() > seen + 1);
        }
        await().until(() -> List.copyOf(store.asked).contains("claim"));
        stop(runner).await();
    }

    private LeaseRunner<Work> start(Vertx vertx, OneRow store, Function<Work, Future<Void>> advance) {
        return start(vertx, store, PACE, advance);
    }

    private LeaseRunner<Work> start(
            Vertx vertx, OneRow store, LeaseRunner.Pace pace, Function<Work, Future<Void>> advance) {
        var worker = new LeaseRunner.Worker<Work>() {
            @Override
            public Future<Void> advance(Work work) {
                return advance.apply(work);
            }

            @Override
            public void stop() {}
        };
        var runner = new LeaseRunner<>(
                vertx, store, worker, pace, new Reconcilers(Clock.systemUTC()), "work", "carries work out");
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
