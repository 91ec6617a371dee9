package ai.molecule.proxy.activity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.AppendActivity;
import ai.molecule.common.bus.events.AppendActivity.Appended;
import ai.molecule.common.bus.events.AppendActivity.Row;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows leave in order and in bounded batches, survive an absent receiver, and slow callers down rather than being dropped. */
@ExtendWith(VertxExtension.class)
class BufferingActivityTest {

    private static final ActivityLimits SMALL = new ActivityLimits(4, 1 << 20, Duration.ofMillis(300));

    private final List<AppendActivity> batches = new CopyOnWriteArrayList<>();
    private volatile Function<AppendActivity, Future<Appended>> receiver = batch -> accept();

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Context loop;

    @BeforeEach
    void serve(Vertx vertx) {
        this.vertx = vertx;
        this.loop = vertx.getOrCreateContext();
        new Bus(vertx)
                .serve(AppendActivity.CONTRACT, batch -> {
                    batches.add(batch);
                    return receiver.apply(batch);
                })
                .await();
    }

    @Test
    void what_gathers_while_a_batch_is_away_leaves_together_at_most_128_at_a_time() {
        Promise<Appended> first = Promise.promise();
        receiver = batch -> batches.size() == 1 ? first.future() : accept();
        var rows = IntStream.range(0, 300).mapToObj(i -> row("r" + i)).toList();
        var buffer = buffer(ActivityLimits.DEFAULT);

        onLoop(() -> rows.forEach(buffer::add));
        await().until(() -> batches.size() == 1);
        first.complete(new Appended(1));

        await().untilAsserted(() -> assertThat(written()).isEqualTo(rows));
        assertThat(batches.stream().map(batch -> batch.rows().size())).containsExactly(1, 128, 128, 43);
    }

    @Test
    void an_absent_receiver_gets_the_same_rows_again() {
        receiver = batch -> batches.size() < 3 ? Future.failedFuture(ApiError.platformUnavailable()) : accept();
        var buffer = buffer(ActivityLimits.DEFAULT);
        var one = row("one");

        onLoop(() -> buffer.add(one));

        await().until(() -> batches.size() == 3);
        assertThat(batches).allSatisfy(batch -> assertThat(batch.rows()).containsExactly(one));
    }

    @Test
    void a_row_that_is_refused_holds_up_no_other_and_is_sent_without_its_bodies() {
        receiver = batch -> batch.rows().stream().anyMatch(row -> "bad".equals(row.requestBody()))
                ? Future.failedFuture(ApiError.internal("internal error"))
                : accept();
        var buffer = buffer(ActivityLimits.DEFAULT);
        var good = row("good");
        var bad = row("bad");
        var last = row("last");

        onLoop(() -> List.of(good, bad, last).forEach(buffer::add));
        onLoop(() -> buffer.flush(Duration.ofSeconds(5))).await();

        var accepted = batches.stream()
                .filter(batch -> batch.rows().stream().noneMatch(row -> "bad".equals(row.requestBody())))
                .flatMap(batch -> batch.rows().stream())
                .map(Row::id)
                .toList();
        assertThat(accepted).containsExactly(good.id(), bad.id(), last.id());
    }

    @Test
    void a_row_that_is_refused_even_bare_is_given_up_and_counted() {
        var meters = new SimpleMeterRegistry();
        receiver = batch -> Future.failedFuture(ApiError.invalid("no"));
        var buffer = new ActivityBuffer(vertx, new Bus(vertx), SMALL, meters);

        onLoop(() -> buffer.add(row("x")));
        onLoop(() -> buffer.flush(Duration.ofSeconds(5))).await();

        assertThat(meters.counter("molecule.activity.refused").count()).isEqualTo(1);
    }

    @Test
    void while_it_is_full_calls_wait_and_go_on_when_rows_left() {
        Promise<Appended> away = Promise.promise();
        receiver = batch -> batches.size() == 1 ? away.future() : accept();
        var buffer = buffer(new ActivityLimits(4, 1 << 20, Duration.ofSeconds(30)));
        onLoop(() -> IntStream.range(0, 4).forEach(i -> buffer.add(row("r" + i))));

        var held = onLoop(buffer::room);
        assertThat(held.isComplete()).isFalse();
        away.complete(new Appended(1));

        held.await();
    }

    @Test
    void whoever_waited_goes_on_when_all_is_written_however_few_rows_filled_it() {
        Promise<Appended> away = Promise.promise();
        receiver = batch -> away.future();
        var buffer = buffer(new ActivityLimits(1000, 10, Duration.ofMinutes(5)));
        onLoop(() -> buffer.add(row("x".repeat(10))));
        var held = IntStream.range(0, 3).mapToObj(i -> onLoop(buffer::room)).toList();

        away.complete(new Appended(1));

        await().atMost(Duration.ofSeconds(60)).until(() -> held.stream().allMatch(Future::succeeded));
        assertThat(onLoop(buffer::room).succeeded()).isTrue();
    }

    @Test
    void bodies_fill_it_as_rows_do() {
        receiver = batch -> Promise.<Appended>promise().future();
        var buffer = buffer(new ActivityLimits(1000, 10, Duration.ofMillis(50)));

        onLoop(() -> buffer.add(row("x".repeat(10))));

        assertThatThrownBy(() -> onLoop(buffer::room).await()).isInstanceOf(ApiError.class);
    }

    @Test
    void a_call_that_waited_too_long_is_refused_before_anything_was_delivered() {
        receiver = batch -> Promise.<Appended>promise().future();
        var buffer = buffer(SMALL);
        onLoop(() -> IntStream.range(0, 4).forEach(i -> buffer.add(row("r" + i))));

        assertThatThrownBy(() -> onLoop(buffer::room).await())
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE));
    }

    @Test
    void a_flush_waits_for_the_last_row_and_not_past_its_deadline() {
        var buffer = buffer(SMALL);
        var one = row("one");
        onLoop(() -> buffer.add(one));
        onLoop(() -> buffer.flush(Duration.ofSeconds(5))).await();
        assertThat(written()).containsExactly(one);

        receiver = batch -> Promise.<Appended>promise().future();
        onLoop(() -> buffer.add(row("two")));
        assertThat(onLoop(() -> buffer.flush(Duration.ofMillis(50)))
                        .map("written")
                        .otherwise("late")
                        .await())
                .isEqualTo("late");
    }

    private List<Row> written() {
        return batches.stream().flatMap(batch -> batch.rows().stream()).toList();
    }

    private ActivityBuffer buffer(ActivityLimits limits) {
        return new ActivityBuffer(vertx, new Bus(vertx), limits, new SimpleMeterRegistry());
    }

    private <T> Future<T> onLoop(Supplier<Future<T>> work) {
        Promise<Future<T>> started = Promise.promise();
        loop.runOnContext(go -> started.complete(work.get()));
        return started.future().await();
    }

    private void onLoop(Runnable work) {
        onLoop(() -> {
                    work.run();
                    return Future.succeededFuture();
                })
                .await();
    }

    private static Future<Appended> accept() {
        return Future.succeededFuture(new Appended(1));
    }

    private static Row row(String body) {
        var id = UUID.randomUUID();
        return new Row(
                id,
                id,
                "a2a_receive",
                null,
                id,
                "message/send",
                "s",
                body,
                null,
                null,
                1,
                "ok",
                null,
                null,
                Instant.EPOCH,
                true);
    }
}
