package ai.molecule.proxy.activity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What waits to be written down holds back what would bring more of it, and refuses it after a while. */
@ExtendWith(VertxExtension.class)
class BackPressureTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void while_rows_fill_it_calls_wait_and_as_many_go_on_as_rows_left(Vertx vertx) {
        var pressure = new BackPressure(vertx, new ActivityLimits(2, 1000, LONG));
        pressure.added(1);
        pressure.added(1);
        var first = pressure.room();
        var second = pressure.room();
        assertThat(first.isComplete()).isFalse();

        pressure.written(1, 1);

        assertThat(first.succeeded()).isTrue();
        assertThat(second.isComplete()).isFalse();
    }

    @Test
    void whoever_waited_goes_on_when_all_is_written_however_few_rows_filled_it(Vertx vertx) {
        var pressure = new BackPressure(vertx, new ActivityLimits(1000, 10, LONG));
        pressure.added(10);
        var held = IntStream.range(0, 3).mapToObj(i -> pressure.room()).toList();

        pressure.written(1, 10);

        assertThat(held).allMatch(call -> call.succeeded());
        assertThat(pressure.room().succeeded()).isTrue();
    }

    @Test
    void a_call_that_waited_too_long_is_refused(Vertx vertx) {
        var pressure = new BackPressure(vertx, new ActivityLimits(1000, 10, SHORT));
        pressure.added(10);

        var call = pressure.room();

        await().until(call::failed);
        assertThat(call.cause())
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE));
    }

    @Test
    void answers_wait_for_room_in_their_order_and_not_for_rows(Vertx vertx) {
        var pressure = new BackPressure(vertx, new ActivityLimits(1, 10, LONG));
        pressure.added(0);
        assertThat(pressure.take(8).succeeded()).isTrue();
        var large = pressure.take(9);
        var small = pressure.take(1);
        assertThat(large.isComplete()).isFalse();
        assertThat(small.isComplete()).isFalse();

        pressure.give(8);

        assertThat(large.succeeded()).isTrue();
        assertThat(small.succeeded()).isTrue();
    }

    @Test
    void an_answer_larger_than_all_the_room_is_read_when_nothing_else_is(Vertx vertx) {
        var pressure = new BackPressure(vertx, new ActivityLimits(10, 10, LONG));

        assertThat(pressure.take(11).succeeded()).isTrue();
        assertThat(pressure.take(1).isComplete()).isFalse();
    }

    @Test
    void an_answer_that_found_no_room_in_time_takes_none(Vertx vertx) {
        var pressure = new BackPressure(vertx, new ActivityLimits(10, 10, SHORT));
        pressure.take(10);
        var late = pressure.take(1);
        await().until(late::failed);

        pressure.give(10);

        assertThat(pressure.take(10).succeeded()).isTrue();
    }
}
