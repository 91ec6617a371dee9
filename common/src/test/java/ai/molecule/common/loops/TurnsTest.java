package ai.molecule.common.loops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class TurnsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void work_begins_when_the_work_before_it_is_over_also_where_that_fails(Vertx vertx) {
        var turns = turns(vertx, 10, LONG);
        List<String> begun = new CopyOnWriteArrayList<>();
        Promise<String> first = Promise.promise();
        var one = turns.run(() -> begins(begun, "one", first.future()));
        var two = turns.run(() -> begins(begun, "two", Future.failedFuture("no")));
        Future<String> three = turns.run(() -> {
            begun.add("three");
            throw new IllegalStateException("thrown");
        });
        var four = turns.run(() -> begins(begun, "four", Future.succeededFuture("done")));
        assertThat(begun).containsExactly("one");

        first.complete("done");

        assertThat(one.await()).isEqualTo("done");
        assertThatThrownBy(two::await).hasMessage("no");
        assertThatThrownBy(three::await).hasMessage("thrown");
        assertThat(four.await()).isEqualTo("done");
        assertThat(begun).containsExactly("one", "two", "three", "four");
    }

    @Test
    void work_that_finds_too_many_waiting_or_waits_too_long_is_refused_and_never_begins(Vertx vertx) {
        var turns = turns(vertx, 1, Duration.ofMillis(20));
        List<String> begun = new CopyOnWriteArrayList<>();
        Promise<String> first = Promise.promise();
        var one = turns.run(() -> begins(begun, "one", first.future()));
        var late = turns.run(() -> begins(begun, "late", Future.succeededFuture("done")));

        assertThatThrownBy(() -> turns.run(() -> begins(begun, "more", Future.succeededFuture("done")))
                        .await())
                .hasMessage("refused");
        assertThatThrownBy(late::await).hasMessage("refused");
        first.complete("done");
        one.await();

        assertThat(turns.run(() -> begins(begun, "next", Future.succeededFuture("done")))
                        .await())
                .isEqualTo("done");
        assertThat(begun).containsExactly("one", "next");
    }

    @Test
    void work_goes_on_in_the_context_that_it_came_in(Vertx vertx) {
        var turns = turns(vertx, 10, LONG);
        Promise<Void> first = Promise.promise();
        Promise<Boolean> same = Promise.promise();
        Promise<Void> asked = Promise.promise();
        var one = turns.run(first::future);
        var context = vertx.getOrCreateContext();

        context.runOnContext(here -> {
            turns.run(() -> {
                same.complete(Vertx.currentContext() == context);
                return Future.succeededFuture();
            });
            asked.complete();
        });
        asked.future().await();
        first.complete();

        one.await();
        assertThat(same.future().await()).isTrue();
    }

    private static Turns turns(Vertx vertx, int waitingMax, Duration longest) {
        return new Turns(vertx, waitingMax, longest, () -> new IllegalStateException("refused"));
    }

    private static Future<String> begins(List<String> begun, String name, Future<String> over) {
        begun.add(name);
        return over;
    }
}
