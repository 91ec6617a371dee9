package ai.molecule.proxy.a2a.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a canvas hears of an answer comes a while after the answer, and is held back by nothing else. */
class AfterAnswerTest {

    private final List<Runnable> timers = new ArrayList<>();
    private final Promise<Void> written = Promise.promise();
    private Duration waited = Duration.ZERO;
    private final List<Duration> times = new ArrayList<>();
    private final AfterAnswer after = new AfterAnswer(
            (time, then) -> {
                times.add(time);
                timers.add(then);
            },
            () -> waited.toNanos());

    @Test
    void an_event_waits_until_its_time_after_the_last_byte() {
        var turn = after.turn(written.future(), 100);
        assertThat(timers).isEmpty();

        written.complete();
        assertThat(turn.isComplete()).isFalse();
        assertThat(times).containsExactly(AfterAnswer.LEAD);
        waited = AfterAnswer.LEAD;
        timers.getFirst().run();

        assertThat(turn.succeeded()).isTrue();
        assertThat(timers).hasSize(1);
    }

    @Test
    void one_timer_does_for_all_and_none_goes_before_its_own_time() {
        Promise<Void> laterWritten = Promise.promise();
        var first = after.turn(written.future(), 100);
        var second = after.turn(laterWritten.future(), 100);
        written.complete();
        waited = Duration.ofMillis(100);
        laterWritten.complete();
        assertThat(timers).hasSize(1);

        waited = AfterAnswer.LEAD;
        timers.getFirst().run();
        assertThat(first.succeeded()).isTrue();
        assertThat(second.isComplete()).isFalse();
        assertThat(times).containsExactly(AfterAnswer.LEAD, Duration.ofMillis(100));

        waited = AfterAnswer.LEAD.plusMillis(100);
        timers.getLast().run();
        assertThat(second.succeeded()).isTrue();
        assertThat(timers).hasSize(2);
    }

    @Test
    void it_goes_at_once_when_the_caller_leaves_before_its_answer() {
        var turn = after.turn(written.future(), 100);

        written.fail("gone");

        assertThat(turn.succeeded()).isTrue();
        assertThat(timers).isEmpty();
    }

    @Test
    void it_goes_at_once_when_the_caller_was_answered_before_or_never_waited() {
        assertThat(after.turn(Future.succeededFuture(), 100).succeeded()).isTrue();
        assertThat(after.turn(Future.failedFuture("gone"), 100).succeeded()).isTrue();
        assertThat(timers).isEmpty();
    }

    @Test
    void more_than_may_wait_together_goes_at_once_and_makes_room_when_the_first_is_gone() {
        long half = AfterAnswer.BYTES_MAX / 2;
        var first = after.turn(written.future(), half);
        assertThat(after.turn(Promise.<Void>promise().future(), half).succeeded())
                .isTrue();
        written.complete();
        waited = AfterAnswer.LEAD;
        timers.getFirst().run();
        assertThat(first.succeeded()).isTrue();

        assertThat(after.turn(Promise.<Void>promise().future(), half).isComplete())
                .isFalse();
    }

    @Test
    void events_without_an_answer_in_them_are_bounded_too() {
        long many = AfterAnswer.BYTES_MAX / AfterAnswer.EVENT_BYTES;
        for (long i = 0; i < many; i++) {
            assertThat(after.turn(written.future(), 0).isComplete()).isFalse();
        }

        assertThat(after.turn(written.future(), 0).succeeded()).isTrue();
    }

    @Test
    void at_the_end_nothing_waits() {
        var turn = after.turn(written.future(), 100);

        after.stop();

        assertThat(turn.succeeded()).isTrue();
        assertThat(after.turn(Promise.<Void>promise().future(), 1).succeeded()).isTrue();
        written.complete();
        timers.forEach(Runnable::run);
    }
}
