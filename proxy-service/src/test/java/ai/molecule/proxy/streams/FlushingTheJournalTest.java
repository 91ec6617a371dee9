package ai.molecule.proxy.streams;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.streams.StreamStore.Addition;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A flush waits for what was said before it, and not for an idle moment, which may never come. */
@ExtendWith(VertxExtension.class)
class FlushingTheJournalTest {

    @Test
    void while_an_agent_never_stops_talking_a_flush_ends_with_the_commit_of_what_was_said(Vertx vertx)
            throws Exception {
        var commits = new AtomicInteger();
        var store = (StreamStore) Proxy.newProxyInstance(
                StreamStore.class.getClassLoader(), new Class<?>[] {StreamStore.class}, (proxy, method, arguments) -> {
                    List<?> additions = (List<?>) arguments[2];
                    commits.incrementAndGet();
                    return vertx.timer(5, TimeUnit.MILLISECONDS)
                            .map(done -> Set.of(((Addition) additions.getFirst()).streamId()));
                });
        Promise<Integer> flushedAfter = Promise.promise();
        vertx.getOrCreateContext().runOnContext(now -> {
            var journal = new Journal(
                    vertx,
                    new Bus(vertx),
                    store,
                    UUID.randomUUID(),
                    new Reconcilers(Clock.systemUTC()).add("stream-journal", "writes"));
            new Talker(journal).say(1);
            journal.flush(Duration.ofSeconds(20)).map(done -> commits.get()).onComplete(flushedAfter);
        });

        assertThat(flushedAfter.future().await(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    /** Says the next thing while the last is being committed. */
    private record Talker(UUID streamId, Journal journal) implements Journal.Author {

        Talker(Journal journal) {
            this(UUID.randomUUID(), journal);
        }

        void say(int n) {
            journal.add(streamId, this, new Entry(n, Buffer.buffer("data: x\n\n")), null);
        }

        @Override
        public void committed(int n, boolean ended) {
            say(n + 1);
        }

        @Override
        public void disowned() {
            throw new AssertionError("nobody adopts it");
        }
    }
}
