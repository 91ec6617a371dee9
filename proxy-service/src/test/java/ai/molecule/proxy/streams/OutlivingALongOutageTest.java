package ai.molecule.proxy.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.streams.StreamStore.Entry;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.net.SocketException;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** After an outage of the database what was said meanwhile is kept, in order, and the log tells of it once. */
@ExtendWith(VertxExtension.class)
class OutlivingALongOutageTest {

    /** One a second. */
    private static final int TRIES = 3;

    private final Logger logger = (Logger) LoggerFactory.getLogger(Loop.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void leave() {
        logger.setLevel(null);
        logger.setAdditive(true);
        logger.detachAppender(log);
    }

    @Test
    void a_journal_goes_on_after_failed_tries(Vertx vertx) {
        var tries = new AtomicInteger();
        var store = (StreamStore) Proxy.newProxyInstance(
                StreamStore.class.getClassLoader(), new Class<?>[] {StreamStore.class}, (proxy, method, arguments) -> {
                    List<?> additions = (List<?>) arguments[2];
                    return tries.incrementAndGet() <= TRIES
                            ? Future.failedFuture(new SocketException("away"))
                            : Future.succeededFuture(Set.of(((StreamStore.Addition) additions.getFirst()).streamId()));
                });
        var owner = UUID.randomUUID();
        var head = StreamHead.begun(
                UUID.randomUUID(),
                owner,
                new StreamHead.Origin(UUID.randomUUID(), null, Protocol.V0_3, "message/stream", "1", new byte[0], 1));
        List<Integer> kept = new CopyOnWriteArrayList<>();
        var author = new Journal.Author() {
            @Override
            public void committed(int n, boolean ended) {
                kept.add(n);
            }

            @Override
            public void disowned() {
                kept.add(-1);
            }
        };
        var report = new Reconcilers(Clock.systemUTC()).add("stream-journal", "writes");
        var loop = vertx.getOrCreateContext();

        loop.runOnContext(begin -> {
            var journal = new Journal(vertx, new Bus(vertx), store, owner, report);
            journal.begin(head, author);
            journal.add(head.id(), author, new Entry(1, Buffer.buffer("one")), null);
            vertx.setPeriodic(5, tick -> {
                if (kept.equals(List.of(1))) {
                    journal.add(head.id(), author, new Entry(2, Buffer.buffer("two")), null);
                    vertx.cancelTimer(tick);
                }
            });
        });

        await().until(() -> kept.size() == 2);
        assertThat(kept).containsExactly(1, 2);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("stream-journal failed, and is tried again");
        assertThat(tries.get()).isEqualTo(TRIES + 2);
    }
}
