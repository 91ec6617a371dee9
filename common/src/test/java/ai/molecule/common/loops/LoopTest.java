package ai.molecule.common.loops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Work that runs again and again. */
@ExtendWith(VertxExtension.class)
class LoopTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final List<Promise<Object>> runs = new CopyOnWriteArrayList<>();
    private volatile Instant now = Instant.EPOCH;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Context context;

    @SuppressWarnings("NullAway.Init")
    private RunReport report;

    @BeforeEach
    void open(Vertx given) {
        vertx = given;
        context = given.getOrCreateContext();
        report = new Reconcilers(new Clock() {
                    @Override
                    public Instant instant() {
                        return now;
                    }

                    @Override
                    public ZoneId getZone() {
                        return ZoneOffset.UTC;
                    }

                    @Override
                    public Clock withZone(ZoneId zone) {
                        return this;
                    }
                })
                .add("loop", "does a thing");
    }

    @Test
    void it_runs_on_its_timer_one_run_at_a_time() {
        var loop = loop(new Loop.Times(Duration.ofMillis(5), LONG), this::run);
        on(loop::start);

        await().until(() -> runs.size() == 1);
        for (int i = 1; i <= 5; i++) {
            assertThat(runs).hasSize(i);
            complete(i - 1, i);
            int next = i + 1;
            await().until(() -> runs.size() == next);
        }
        assertThat(report.status().did()).isEqualTo("dealt with 5");
    }

    @Test
    void pokes_during_a_run_are_one_more_run_after_it() {
        var loop = loop(new Loop.Times(LONG, LONG), this::run);
        on(loop::start);
        on(loop::poke);
        await().until(() -> runs.size() == 1);

        on(loop::poke);
        on(loop::poke);
        on(loop::poke);
        complete(0, "done");
        await().until(() -> runs.size() == 2);
        complete(1, "done again");

        await().until(() -> report.status().did().equals("done again"));
        flush();
        assertThat(runs).hasSize(2);
    }

    @Test
    void a_run_that_fails_or_throws_is_reported_and_the_next_one_comes() {
        var failures = new CopyOnWriteArrayList<Integer>();
        var loop = loop(new Loop.Times(Duration.ofMillis(5), LONG), () -> {
            failures.add(1);
            switch (failures.size()) {
                case 1 -> throw new IllegalStateException("thrown");
                case 2 -> {
                    return Future.failedFuture("failed");
                }
                default -> {
                    return Future.succeededFuture(RunReport.StoodBy.STOOD_BY);
                }
            }
        });
        on(loop::start);

        await().until(() -> report.status().says().equals("the last run failed: thrown"));
        await().until(() -> report.status().says().equals("the last run failed: failed"));
        await().until(() -> report.status().says().startsWith("another replica does this"));
        assertThat(report.status().ok()).isTrue();
    }

    @Test
    void a_run_that_failed_is_tried_again_long_before_the_next_is_due() {
        var times = new Loop.Times(LONG, Duration.ZERO, LONG, Duration.ofMillis(5));
        var loop = loop(times, this::run);
        on(loop::start);
        on(loop::poke);
        await().until(() -> runs.size() == 1);

        on(() -> runs.getFirst().fail("failed"));

        await().until(() -> runs.size() == 2);
    }

    @Test
    void a_run_past_its_deadline_is_shown_with_what_it_waits_for() {
        var loop = loop(new Loop.Times(LONG, Duration.ofSeconds(10)), this::run);
        on(loop::start);
        on(loop::poke);
        await().until(() -> runs.size() == 1);

        now = now.plusSeconds(10);
        assertThat(report.status().ok()).isTrue();
        now = now.plusSeconds(2);
        assertThat(report.status().ok()).isFalse();
        assertThat(report.status().says()).isEqualTo("running for 12 s, waits for PostgreSQL");

        complete(0, "late");
        await().until(() -> report.status().ok());
    }

    @Test
    void a_run_that_never_ends_is_given_up_and_the_loop_goes_on() {
        var loop = loop(new Loop.Times(Duration.ofMillis(5), Duration.ofMillis(10)), this::run);
        on(loop::start);

        await().until(() -> runs.size() == 2);
        assertThat(report.status().ok()).isFalse();
    }

    @Test
    void its_end_waits_for_the_run_under_way_and_no_other_begins() {
        var loop = loop(new Loop.Times(LONG, LONG), this::run);
        on(loop::start);
        on(loop::poke);
        await().until(() -> runs.size() == 1);
        on(loop::poke);

        Promise<Void> over = Promise.promise();
        on(() -> loop.stop().onComplete(over));
        flush();
        assertThat(over.future().isComplete()).isFalse();
        complete(0, "done");
        over.future().await();
        on(loop::poke);
        flush();

        assertThat(runs).hasSize(1);
    }

    private Loop loop(Loop.Times times, Supplier<Future<?>> run) {
        return new Loop(vertx, report, "PostgreSQL", times, run);
    }

    private Future<?> run() {
        Promise<Object> run = Promise.promise();
        runs.add(run);
        return run.future();
    }

    private void complete(int run, Object outcome) {
        on(() -> runs.get(run).complete(outcome));
    }

    private void on(Runnable work) {
        context.runOnContext(none -> work.run());
    }

    /** Until what was put on the context before has been done. */
    private void flush() {
        Promise<Void> done = Promise.promise();
        on(() -> on(done::complete));
        done.future().await();
    }
}
