package ai.molecule.common.loops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What many hand in, written in batches. */
@ExtendWith(VertxExtension.class)
class GroupCommitTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final ApiError FULL = ApiError.unavailable("full");

    private final List<List<String>> batches = new CopyOnWriteArrayList<>();
    private final List<Promise<Void>> outcomes = new CopyOnWriteArrayList<>();
    private final Map<String, Future<Void>> handedIn = new HashMap<>();

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Context context;

    @SuppressWarnings("NullAway.Init")
    private GroupCommit<String> group;

    @BeforeEach
    void open(Vertx given) {
        vertx = given;
        context = given.getOrCreateContext();
    }

    @Test
    void what_comes_in_one_turn_is_one_batch_and_what_comes_during_it_the_next() {
        bound(3, 100, 100, 1_000);

        add("a", "b");
        assertThat(batches).containsExactly(List.of("a", "b"));
        add("c", "d", "e", "f");
        assertThat(batches).hasSize(1);
        succeed(0);

        assertThat(outcomeOf("a").succeeded()).isTrue();
        assertThat(outcomeOf("c").isComplete()).isFalse();
        assertThat(batches).hasSize(2).last().isEqualTo(List.of("c", "d", "e"));
        succeed(1);
        assertThat(batches).hasSize(3).last().isEqualTo(List.of("f"));
        assertThat(group.waiting()).isEqualTo(1);
    }

    @Test
    void a_batch_is_bounded_by_bytes_too_and_takes_one_that_is_larger() {
        bound(10, 5, 100, 1_000);

        add("x", "aa", "bbb", "cccccccc", "d");
        for (int batch = 0; batch < 4; batch++) {
            succeed(batch);
        }

        assertThat(batches).containsExactly(List.of("x", "aa"), List.of("bbb"), List.of("cccccccc"), List.of("d"));
    }

    @Test
    void a_batch_that_fails_fails_for_those_in_it_and_the_next_is_written() {
        bound(1, 100, 100, 1_000);
        add("a", "b");

        fail(0);
        succeed(1);

        assertThat(outcomeOf("a").cause()).hasMessage("no");
        assertThat(outcomeOf("b").succeeded()).isTrue();
    }

    @Test
    void more_than_may_wait_is_refused_at_once_by_number() {
        bound(10, 100, 2, 1_000);

        add("a", "b", "c");
        assertThat(outcomeOf("c").cause()).isSameAs(FULL);
        succeed(0);
        add("d");

        assertThat(batches).last().isEqualTo(List.of("d"));
    }

    @Test
    void more_than_may_wait_is_refused_at_once_by_bytes() {
        bound(10, 100, 100, 4);

        add("aaa", "bb", "b");

        assertThat(outcomeOf("bb").cause()).isSameAs(FULL);
        assertThat(batches).containsExactly(List.of("aaa", "b"));
    }

    @Test
    void a_flush_ends_with_what_was_added_before_it_whatever_comes_after() {
        bound(1, 100, 100, 1_000);
        assertThat(group.flush().succeeded()).isTrue();
        add("a", "b");
        step(() -> handedIn.put("flush", group.flush()));
        add("c");

        succeed(0);
        assertThat(outcomeOf("flush").isComplete()).isFalse();
        fail(1);

        assertThat(outcomeOf("flush").succeeded()).isTrue();
        assertThat(group.waiting()).isEqualTo(1);
    }

    @Test
    void one_that_keeps_batches_apart_begins_the_first_at_once_and_others_in_time_unless_they_are_full_or_flushed() {
        group = new GroupCommit<>(
                vertx, new GroupCommit.Bounds(2, 100, 100, 1_000, LONG, LONG), String::length, FULL, this::write);

        add("a");
        assertThat(batches).containsExactly(List.of("a"));
        add("b");
        succeed(0);
        assertThat(batches).hasSize(1);
        add("c");
        assertThat(batches).hasSize(2).last().isEqualTo(List.of("b", "c"));
        succeed(1);
        add("d");
        assertThat(batches).hasSize(2);
        step(group::flush);
        assertThat(batches).hasSize(3);
    }

    @Test
    void a_batch_that_never_ends_is_given_up_and_one_that_throws_has_failed() {
        group = new GroupCommit<>(
                vertx,
                new GroupCommit.Bounds(1, 100, 100, 1_000, Duration.ZERO, Duration.ofMillis(20)),
                String::length,
                FULL,
                batch -> {
                    batches.add(batch);
                    if (batch.contains("b")) {
                        throw new IllegalStateException("thrown");
                    }
                    return Promise.promise().future();
                });

        add("a", "b", "c");

        await().until(() -> batches.size() == 3);
        await().until(() -> outcomeOf("c").failed());
        assertThat(outcomeOf("b").cause()).hasMessage("thrown");
    }

    @Test
    void what_waits_goes_with_somebody_elses_commit_and_what_comes_meanwhile_is_the_next() {
        bound(10, 100, 100, 1_000);

        var taken = addAndTake("a");
        add("b");

        assertThat(taken.items()).containsExactly("a");
        step(() -> assertThat(group.take()).isEmpty());
        assertThat(batches).isEmpty();
        step(() -> taken.outcome().complete());
        assertThat(outcomeOf("a").succeeded()).isTrue();
        assertThat(batches).containsExactly(List.of("b"));
    }

    @Test
    void who_went_with_a_commit_that_failed_hears_of_it() {
        bound(10, 100, 100, 1_000);
        var taken = addAndTake("a");

        step(() -> taken.outcome().fail(FULL));

        assertThat(outcomeOf("a").cause()).isSameAs(FULL);
        step(() -> assertThat(group.take()).isEmpty());
    }

    private GroupCommit.Taken<String> addAndTake(String item) {
        Promise<GroupCommit.Taken<String>> taken = Promise.promise();
        context.runOnContext(turn -> {
            handedIn.put(item, group.add(item));
            taken.complete(group.take().orElseThrow());
        });
        return taken.future().await();
    }

    @Test
    void after_the_end_nothing_is_taken_and_the_rest_is_written() {
        bound(1, 100, 100, 1_000);
        add("a", "b");

        step(() -> handedIn.put("stop", group.stop()));
        add("c");
        assertThat(outcomeOf("c").cause()).hasMessage("shutting down");
        succeed(0);
        assertThat(outcomeOf("stop").isComplete()).isFalse();
        succeed(1);

        assertThat(outcomeOf("stop").succeeded()).isTrue();
    }

    private void bound(int batch, long batchBytes, int waiting, long waitingBytes) {
        group = new GroupCommit<>(
                vertx,
                new GroupCommit.Bounds(batch, batchBytes, waiting, waitingBytes, Duration.ZERO, LONG),
                String::length,
                FULL,
                this::write);
    }

    private Future<?> write(List<String> batch) {
        batches.add(batch);
        Promise<Void> outcome = Promise.promise();
        outcomes.add(outcome);
        return outcome.future();
    }

    private void add(String... items) {
        step(() -> {
            for (String item : items) {
                handedIn.put(item, group.add(item));
            }
        });
    }

    private Future<Void> outcomeOf(String item) {
        return Objects.requireNonNull(handedIn.get(item));
    }

    private void succeed(int batch) {
        step(() -> outcomes.get(batch).complete());
    }

    private void fail(int batch) {
        step(() -> outcomes.get(batch).fail("no"));
    }

    /** On the event loop, and until the end of its turn and of what that turn put off. */
    private void step(Runnable work) {
        Promise<Void> done = Promise.promise();
        context.runOnContext(first -> {
            work.run();
            context.runOnContext(second -> context.runOnContext(third -> done.complete()));
        });
        done.future().await();
    }
}
