package ai.molecule.proxy.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.a2a.calls.A2aLimits;
import ai.molecule.proxy.protocol.Protocol;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An agent never outruns the reader that its stream was begun for, also where that reads from the journal what it missed. */
class HoldingAgentsBackTest {

    private final Vertx vertx = Vertx.vertx();
    private final Context loop = vertx.getOrCreateContext();
    private final Promise<Void> journalAnswers = Promise.promise();
    private final List<String> written = new ArrayList<>();
    private boolean full;
    private boolean paused;

    @SuppressWarnings("NullAway.Init")
    private StreamStore store;

    @SuppressWarnings("NullAway.Init")
    private Handler<Buffer> agentSays;

    @SuppressWarnings("NullAway.Init")
    private Handler<Void> clientHasRoom;

    @BeforeEach
    void open() {
        String url = TestStores.freshDatabase();
        Postgres.migrate(vertx, url, "log").await();
        Postgres.migrate(vertx, url, "proxy").await();
        store = new PgStreamStore(new Database(vertx, url, "proxy", () -> {}));
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void while_its_reader_is_slow_and_then_until_that_has_caught_up_from_the_journal() {
        var owner = UUID.randomUUID();
        store.renew(owner).await();
        var origin = new StreamHead.Origin(
                UUID.randomUUID(), null, Protocol.V0_3, "message/stream", "1", "{}".getBytes(), 1);
        var relay = on(() -> {
            var streams = new Streams(
                    vertx,
                    new Bus(vertx),
                    withASlowPage(),
                    A2aLimits.DEFAULT.relay(),
                    JournalLimits.DEFAULT,
                    owner,
                    new Reconcilers(Clock.systemUTC()).add("stream-journal", "writes"),
                    new SimpleMeterRegistry());
            var begun = streams.relay(UUID.randomUUID(), origin, agent());
            streams.firstReader(begun).writeTo(client(), () -> {});
            return begun;
        });

        say("one", "two", "three");
        assertThat(on(() -> written)).containsExactly("one");
        assertThat(on(() -> paused)).isTrue();

        await().until(() -> on(() -> relay.uncommitted(3) == null));
        on(() -> {
            full = false;
            clientHasRoom.handle(null);
            return null;
        });
        assertThat(on(() -> paused)).as("while the page is on its way").isTrue();

        journalAnswers.complete();
        await().until(() -> on(() -> !paused));
        assertThat(on(() -> List.copyOf(written))).containsExactly("one", "two", "three");
    }

    private <T> T on(Callable<T> work) {
        var done = Promise.<T>promise();
        loop.runOnContext(now -> {
            try {
                done.complete(work.call());
            } catch (Exception broken) {
                done.fail(broken);
            }
        });
        return done.future().await();
    }

    private void say(String... words) {
        on(() -> {
            var text = Buffer.buffer();
            for (String word : words) {
                text.appendString("data: " + word + "\n\n");
            }
            agentSays.handle(text);
            return null;
        });
    }

    private HttpClientResponse agent() {
        return made(HttpClientResponse.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "handler" -> agentSays = handler(arguments[0]);
                case "pause" -> paused = true;
                case "resume" -> paused = false;
                default -> {}
            }
            return self;
        });
    }

    /** Takes one event, and then nothing until it is said to have room. */
    private HttpServerResponse client() {
        return made(HttpServerResponse.class, (self, method, arguments) -> switch (method.getName()) {
            case "closed", "ended" -> false;
            case "writeQueueFull" -> full;
            case "drainHandler" -> {
                clientHasRoom = handler(arguments[0]);
                yield self;
            }
            case "write" -> {
                String event = arguments[0].toString();
                written.add(event.substring(event.indexOf("data: ") + 6).strip());
                full = written.size() == 1;
                yield Future.succeededFuture();
            }
            case "writeHead", "end" -> Future.succeededFuture();
            default -> self;
        });
    }

    private StreamStore withASlowPage() {
        return made(StreamStore.class, (self, method, arguments) -> {
            var answer = method.invoke(store, arguments);
            return method.getName().equals("after")
                    ? journalAnswers.future().compose(now -> (Future<?>) answer)
                    : answer;
        });
    }

    @SuppressWarnings("unchecked")
    private static <T> Handler<T> handler(Object argument) {
        return (Handler<T>) argument;
    }

    private static <T> T made(Class<T> type, InvocationHandler how) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, how));
    }
}
