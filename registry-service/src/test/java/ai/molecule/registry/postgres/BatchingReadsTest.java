package ai.molecule.registry.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Which reads {@link BatchedReads} makes one statement of, and whose answers they share. */
class BatchingReadsTest {

    private static final Vertx VERTX = Vertx.vertx();

    private final Context loop = VERTX.getOrCreateContext();
    private final List<Collection<String>> statements = new ArrayList<>();
    private final List<Promise<Map<String, String>>> answers = new ArrayList<>();
    private final BatchedReads<String, String> reads = new BatchedReads<>(loop, keys -> {
        statements.add(List.copyOf(keys));
        answers.add(Promise.promise());
        return answers.getLast().future();
    });

    @AfterAll
    static void stop() {
        VERTX.close().await();
    }

    @Test
    void what_is_asked_for_in_one_turn_is_one_statement_that_names_each_key_once() {
        var asked = onLoop(
                () -> List.of(reads.read(List.of("a", "b")), reads.read(List.of("b")), reads.read(List.of("a"))));
        onLoop(() -> answers.getFirst().tryComplete(Map.of("a", "A", "b", "B")));

        assertThat(statements).containsExactly(List.of("a", "b"));
        assertThat(asked).allSatisfy(answer -> assertThat(answer.await()).containsEntry("b", "B"));
    }

    /** Else it could miss what was committed, and answered, before it was asked for. */
    @Test
    void a_read_never_joins_a_statement_that_was_sent_before_it() {
        var early = onLoop(() -> reads.read(List.of("a")));
        var late = onLoop(() -> reads.read(List.of("a")));
        assertThat(onLoop(statements::size)).isEqualTo(2);

        onLoop(() -> answers.get(0).tryComplete(Map.of("a", "old")));
        onLoop(() -> answers.get(1).tryComplete(Map.of("a", "new")));

        assertThat(early.await()).containsEntry("a", "old");
        assertThat(late.await()).containsEntry("a", "new");
    }

    @Test
    void what_comes_while_two_statements_are_under_way_waits_and_becomes_one() {
        onLoop(() -> reads.read(List.of("a")));
        onLoop(() -> reads.read(List.of("b")));
        onLoop(() -> reads.read(List.of("c")));
        onLoop(() -> reads.read(List.of("d")));
        assertThat(onLoop(statements::size)).isEqualTo(2);

        onLoop(() -> answers.getFirst().tryComplete(Map.of()));

        assertThat(statements).containsExactly(List.of("a"), List.of("b"), List.of("c", "d"));
    }

    @Test
    void a_failing_statement_fails_each_who_waits_for_it_and_nobody_else() {
        var first = onLoop(() -> List.of(reads.read(List.of("a")), reads.read(List.of("b"))));
        var second = onLoop(() -> reads.read(List.of("c")));
        onLoop(() -> answers.get(0).tryFail("connection lost"));
        onLoop(() -> answers.get(1).tryComplete(Map.of("c", "C")));

        assertThat(first).allSatisfy(answer -> assertThat(answer.cause()).hasMessage("connection lost"));
        assertThat(second.await()).containsEntry("c", "C");
    }

    @Test
    void who_throws_at_his_answer_does_not_keep_the_others_from_theirs() {
        var other = onLoop(() -> {
            reads.read(List.of("a")).onComplete(answer -> {
                throw new IllegalStateException("on purpose");
            });
            return reads.read(List.of("a"));
        });
        onLoop(() -> answers.getFirst().tryComplete(Map.of("a", "A")));

        assertThat(other.await()).containsEntry("a", "A");
    }

    @Test
    void beyond_its_bound_it_refuses_rather_than_queue() {
        var last = onLoop(() -> {
            Future<Map<String, String>> read = reads.read(List.of("a"));
            for (int i = 0; i < 10_000; i++) {
                read = reads.read(List.of("a"));
            }
            return read;
        });

        assertThat(last.cause())
                .isInstanceOfSatisfying(
                        ApiError.class, refused -> assertThat(refused.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE));
    }

    @Test
    void a_batch_that_lingers_takes_what_comes_in_later_turns_and_goes_at_once_when_it_is_full() {
        var patient = lingering(Duration.ofHours(1), 3);
        onLoop(() -> patient.read(List.of("a")));
        onLoop(() -> patient.read(List.of("b")));
        assertThat(onLoop(statements::size)).isZero();
        onLoop(() -> patient.read(List.of("c")));
        assertThat(statements).containsExactly(List.of("a", "b", "c"));

        var hasty = lingering(Duration.ofMillis(1), 3);
        onLoop(() -> hasty.read(List.of("d")));
        await().until(() -> onLoop(() -> statements.getLast().equals(List.of("d"))));
    }

    private BatchedReads<String, String> lingering(Duration linger, int atOnce) {
        return new BatchedReads<>(loop, linger, atOnce, keys -> {
            statements.add(List.copyOf(keys));
            return Future.succeededFuture(Map.of());
        });
    }

    /** Runs on the event loop, and returns when the turn it ran in, and what it scheduled, is over. */
    private <T> T onLoop(Callable<T> work) {
        Promise<T> done = Promise.promise();
        loop.runOnContext(turn -> {
            try {
                T result = work.call();
                loop.runOnContext(next -> done.complete(result));
            } catch (Exception failure) {
                done.fail(failure);
            }
        });
        return done.future().await();
    }
}
