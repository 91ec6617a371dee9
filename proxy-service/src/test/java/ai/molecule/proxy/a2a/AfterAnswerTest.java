package ai.molecule.proxy.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a canvas hears of an answer comes a while after the answer, and is held back by nothing else. */
class AfterAnswerTest {

    private final List<Runnable> timers = new ArrayList<>();
    private final Promise<Void> written = Promise.promise();
    private final AfterAnswer after = new AfterAnswer((time, then) -> {
        assertThat(time).isEqualTo(AfterAnswer.LEAD);
        timers.add(then);
    });

    @Test
    void an_event_waits_until_its_time_after_the_last_byte() {
        var turn = after.turn(written.future(), 100);
        assertThat(timers).isEmpty();

        written.complete();
        assertThat(turn.isComplete()).isFalse();
        timers.getFirst().run();

        assertThat(turn.succeeded()).isTrue();
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
