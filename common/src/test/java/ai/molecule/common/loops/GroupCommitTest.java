package ai.molecule.common.loops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What many hand in, written in batches. */
@ExtendWith(VertxExtension.class)
class GroupCommitTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final List<List<String>> batches = new ArrayList<>();
    private final List<Promise<Void>> outcomes = new ArrayList<>();

    @Test
    void what_comes_during_a_batch_is_the_next_one(Vertx vertx) {
        var group = group(vertx, 3, 100, 100, 1_000);

        var first = group.add("a");
        List.of("b", "c", "d", "e").forEach(group::add);
        assertThat(batches).containsExactly(List.of("a"));
        outcomes.get(0).complete();

        assertThat(first.succeeded()).isTrue();
        assertThat(batches).containsExactly(List.of("a"), List.of("b", "c", "d"));
        outcomes.get(1).complete();
        assertThat(batches).hasSize(3).last().isEqualTo(List.of("e"));
        assertThat(group.waiting()).isEqualTo(1);
    }

    @Test
    void a_batch_is_bounded_by_bytes_too_and_takes_one_that_is_larger(Vertx vertx) {
        var group = group(vertx, 10, 5, 100, 1_000);

        group.add("x");
        List.of("aa", "bbb", "cccccccc", "d").forEach(group::add);
        for (int i = 0; i < 4; i++) {
            outcomes.get(i).complete();
        }

        assertThat(batches).containsExactly(List.of("x"), List.of("aa", "bbb"), List.of("cccccccc"), List.of("d"));
    }

    @Test
    void a_batch_that_fails_fails_for_those_in_it_and_the_next_is_written(Vertx vertx) {
        var group = group(vertx, 1, 100, 100, 1_000);
        var first = group.add("a");
        var second = group.add("b");

        outcomes.get(0).fail("no");
        outcomes.get(1).complete();

        assertThat(first.cause()).hasMessage("no");
        assertThat(second.succeeded()).isTrue();
    }

    @Test
    void one_who_throws_on_hearing_of_it_keeps_nobody_else_from_it(Vertx vertx) {
        var group = group(vertx, 10, 100, 100, 1_000);
        group.add("a");
        var thrower = group.add("b");
        var other = group.add("c");
        thrower.onComplete(heard -> {
            throw new IllegalStateException("thrown by an asker");
        });

        outcomes.get(0).complete();
        outcomes.get(1).complete();

        assertThat(other.succeeded()).isTrue();
        assertThat(group.add("d").isComplete()).isFalse();
        assertThat(batches).hasSize(3);
    }

    @Test
    void more_than_may_wait_is_refused_at_once_by_number_and_by_bytes(Vertx vertx) {
        var byNumber = group(vertx, 10, 100, 2, 1_000);
        byNumber.add("a");
        byNumber.add("b");
        assertThat(byNumber.add("c").cause()).hasMessage("too much is waiting");
        outcomes.get(0).complete();
        assertThat(byNumber.add("d").failed()).isFalse();

        var byBytes = group(vertx, 10, 100, 100, 4);
        byBytes.add("aaa");
        assertThat(byBytes.add("bb").failed()).isTrue();
        assertThat(byBytes.add("b").failed()).isFalse();
    }

    @Test
    void a_flush_ends_with_what_was_added_before_it_whatever_comes_after(Vertx vertx) {
        var group = group(vertx, 1, 100, 100, 1_000);
        assertThat(group.flush().succeeded()).isTrue();
        group.add("a");
        group.add("b");
        var flushed = group.flush();
        group.add("c");

        outcomes.get(0).complete();
        assertThat(flushed.isComplete()).isFalse();
        outcomes.get(1).fail("no");

        assertThat(flushed.succeeded()).isTrue();
        assertThat(group.waiting()).isEqualTo(1);
    }

    @Test
    void one_that_lingers_waits_for_company_unless_it_is_full_or_flushed(Vertx vertx) {
        var group = new GroupCommit<String>(
                vertx, new GroupCommit.Bounds(2, 100, 100, 1_000, LONG, LONG), String::length, this::write);

        group.add("a");
        assertThat(batches).isEmpty();
        group.add("b");
        assertThat(batches).containsExactly(List.of("a", "b"));
        outcomes.get(0).complete();
        group.add("c");
        group.flush();
        assertThat(batches).hasSize(2);
    }

    @Test
    void a_batch_that_never_ends_is_given_up(Vertx vertx) {
        var group = new GroupCommit<String>(
                vertx,
                new GroupCommit.Bounds(1, 100, 100, 1_000, Duration.ZERO, Duration.ofMillis(20)),
                String::length,
                this::write);

        var first = group.add("a");
        group.add("b");

        await().until(first::failed);
        await().until(() -> batches.size() == 2);
    }

    @Test
    void after_the_end_nothing_is_taken_and_the_rest_is_written(Vertx vertx) {
        var group = group(vertx, 1, 100, 100, 1_000);
        group.add("a");
        group.add("b");

        var stopped = group.stop();
        assertThat(group.add("c").cause()).hasMessage("shutting down");
        outcomes.get(0).complete();
        outcomes.get(1).complete();

        assertThat(stopped.succeeded()).isTrue();
    }

    private GroupCommit<String> group(Vertx vertx, int batch, long batchBytes, int waiting, long waitingBytes) {
        return new GroupCommit<>(
                vertx,
                new GroupCommit.Bounds(batch, batchBytes, waiting, waitingBytes, Duration.ZERO, LONG),
                String::length,
                this::write);
    }

    private Future<?> write(List<String> batch) {
        batches.add(batch);
        Promise<Void> outcome = Promise.promise();
        outcomes.add(outcome);
        return outcome.future();
    }
}
