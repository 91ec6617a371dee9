package ai.molecule.common.loops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many steps one after the other, however many they are. */
@ExtendWith(VertxExtension.class)
class AsyncLoopTest {

    private static final int MANY = 100_000;

    @Test
    void many_steps_end_whether_they_complete_at_once_or_later(Vertx vertx) {
        var atOnce = new AtomicInteger();
        var later = new AtomicInteger();

        AsyncLoop.whileTrue(() -> Future.succeededFuture(atOnce.incrementAndGet() < MANY))
                .await();
        onContext(
                        vertx,
                        () -> AsyncLoop.whileTrue(() -> {
                            Promise<Boolean> step = Promise.promise();
                            vertx.runOnContext(turn -> step.complete(later.incrementAndGet() < MANY));
                            return step.future();
                        }))
                .await();

        assertThat(atOnce).hasValue(MANY);
        assertThat(later).hasValue(MANY);
    }

    @Test
    void a_step_that_fails_or_throws_is_the_last() {
        var taken = new AtomicInteger();

        assertThatThrownBy(() -> AsyncLoop.whileTrue(() -> taken.incrementAndGet() < 3
                                ? Future.succeededFuture(true)
                                : Future.failedFuture(new IllegalStateException("third")))
                        .await())
                .hasMessage("third");
        assertThatThrownBy(() -> AsyncLoop.whileTrue(() -> {
                            taken.incrementAndGet();
                            throw new IllegalStateException("thrown");
                        })
                        .await())
                .hasMessage("thrown");

        assertThat(taken).hasValue(4);
    }

    private static Future<Void> onContext(Vertx vertx, Supplier<Future<Void>> work) {
        Promise<Void> done = Promise.promise();
        vertx.getOrCreateContext().runOnContext(start -> work.get().onComplete(done));
        return done.future();
    }
}
