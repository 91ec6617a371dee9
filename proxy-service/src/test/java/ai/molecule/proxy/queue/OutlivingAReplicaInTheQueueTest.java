package ai.molecule.proxy.queue;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.Dying;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A replica dies at each step of taking a waiting message to its agent; another one goes on, nothing is lost or done twice unsaid. */
@ExtendWith(VertxExtension.class)
class OutlivingAReplicaInTheQueueTest {

    private static final String UNKNOWN_TASK = "{\"error\":{\"code\":-32001,\"message\":\"no task\"}}";
    private static final String UNKNOWN_METHOD = "{\"error\":{\"code\":-32601,\"message\":\"method not found\"}}";
    private static final String SAID = "{\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}";
    private static final String TASK =
            "{\"result\":{\"kind\":\"task\",\"status\":{\"state\":\"completed\"},\"artifacts\":[]}}";

    private static final QueueLimits QUICK = new QueueLimits(
            9,
            5,
            Duration.ofMinutes(30),
            Duration.ofMinutes(10),
            2,
            Duration.ofMillis(1_500), // a busy machine keeps the one that lives waiting too
            Duration.ofMillis(100),
            16,
            Duration.ofDays(1));

    private final List<String> run = new CopyOnWriteArrayList<>();
    private volatile boolean busy = true;
    private List<LiveEvent> told = List.of();
    private volatile boolean remembers = true;

    @Test
    void killed_before_it_took_the_message(Vertx vertx) {
        var row = onlyRowWhenDying(vertx, Dying.before("claim"));

        assertThat(row.responseBody()).isEqualTo(SAID);
        assertThat(run).containsExactly("m1");
    }

    @Test
    void killed_when_it_had_taken_the_message(Vertx vertx) {
        var row = onlyRowWhenDying(vertx, Dying.after("claim"));

        assertThat(row.responseBody()).isEqualTo(SAID);
        assertThat(run).containsExactly("m1");
    }

    @Test
    void killed_before_it_said_that_it_sends(Vertx vertx) {
        var dying = Dying.before("sending");
        var rows = rowsWhenDying(vertx, dying, 2);

        assertThat(rows).extracting(ActivityRow::status).containsExactly("error", "ok"); // its try, and the other's
        assertThat(rows.getLast().responseBody()).isEqualTo(SAID);
        assertThat(run).containsExactly("m1");
    }

    @Test
    void killed_when_it_had_said_so_and_sent_nothing(Vertx vertx) {
        var rows = rowsWhenDying(vertx, Dying.after("sending"), 2);

        assertThat(rows.getLast().status()).isEqualTo("error");
        assertThat(rows.getLast().errorDetail())
                .isEqualTo("outcome unknown: the answer was lost and the agent does not know the message");
        assertThat(run).isEmpty();
    }

    @Test
    void killed_with_the_answer_in_its_hands_and_the_agent_remembers(Vertx vertx) {
        var row = onlyRowWhenDying(vertx, Dying.before("answered"));

        assertThat(row.status()).isEqualTo("ok");
        assertThat(run).containsExactly("m1");
        assertThat(told).hasSize(2); // so that the canvas can tell
    }

    @Test
    void killed_with_the_answer_in_its_hands_and_the_agent_cannot_be_asked(Vertx vertx) {
        remembers = false;

        var row = onlyRowWhenDying(vertx, Dying.before("answered"));

        assertThat(row.responseBody()).isEqualTo(SAID); // what was written first stays
        assertThat(run).containsExactly("m1");
    }

    @Test
    void killed_when_the_answer_was_written_down(Vertx vertx) {
        var row = onlyRowWhenDying(vertx, Dying.after("answered"));

        assertThat(row.responseBody()).isEqualTo(SAID);
        assertThat(run).containsExactly("m1");
    }

    @Test
    void an_answer_that_comes_while_the_database_is_away_is_written_down_afterwards(Vertx vertx) {
        remembers = false;
        var platform = new StandInPlatform(vertx);
        var config =
                with(ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", TestStores.freshDatabase())), "queue", QUICK);
        var lost = new AtomicInteger();
        var proxy = ProxyUnderTest.start(
                vertx, platform, config, work -> work, store -> (QueueStore) Proxy.newProxyInstance(
                        QueueStore.class.getClassLoader(),
                        new Class<?>[] {QueueStore.class},
                        (self, method, arguments) ->
                                Set.of("end", "answered").contains(method.getName()) && lost.incrementAndGet() < 3
                                        ? Future.failedFuture("away")
                                        : method.invoke(store, arguments)));
        var agent = proxy.agent(this::answer);
        assertThat(send(proxy, agent, "m1")).isEqualTo(202);
        busy = false;
        platform.bus.poke(DrainQueue.HINT, new DrainQueue(agent));

        await().until(() -> lost.get() == 3);
        assertThat(send(proxy, agent, "m2")).isEqualTo(200);
        assertThat(run).containsExactly("m1", "m2");
        assertThat(rowsOf(platform, "m1")).extracting(ActivityRow::status).containsExactly("ok");
    }

    @Test
    void one_that_lost_its_hold_on_the_last_try_leaves_the_message_to_whoever_has_it(Vertx vertx) {
        var platform = new StandInPlatform(vertx);
        var lastTry = new QueueLimits(
                QUICK.depthMax(),
                1,
                QUICK.expiry(),
                QUICK.look(),
                QUICK.lookups(),
                QUICK.lease(),
                QUICK.tick(),
                QUICK.underWayMax(),
                QUICK.keep());
        var config =
                with(ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", TestStores.freshDatabase())), "queue", lastTry);
        var lost = new AtomicBoolean();
        var proxy =
                ProxyUnderTest.start(vertx, platform, config, work -> work, store -> losingItsHoldOnce(store, lost));
        var agent = proxy.agent(this::answer);
        assertThat(send(proxy, agent, "m1")).isEqualTo(202);
        busy = false;

        platform.bus.poke(DrainQueue.HINT, new DrainQueue(agent));

        await().untilTrue(lost);
        await().until(() -> run.equals(List.of("m1")));
        await().until(() -> rowsOf(platform, "m1").getLast().status().equals("ok"));
    }

    /** As if the lease had ended and somebody else had the message. */
    private static QueueStore losingItsHoldOnce(QueueStore store, AtomicBoolean lost) {
        return (QueueStore) Proxy.newProxyInstance(
                QueueStore.class.getClassLoader(),
                new Class<?>[] {QueueStore.class},
                (self, method, arguments) -> method.getName().equals("sending") && lost.compareAndSet(false, true)
                        ? Future.succeededFuture(false)
                        : method.invoke(store, arguments));
    }

    private ActivityRow onlyRowWhenDying(Vertx vertx, Dying how) {
        return rowsWhenDying(vertx, how, 1).getFirst();
    }

    /** The message's rows once nothing waits any more, and a message after it has been answered. */
    private List<ActivityRow> rowsWhenDying(Vertx vertx, Dying how, int count) {
        var platform = new StandInPlatform(vertx);
        var config =
                with(ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", TestStores.freshDatabase())), "queue", QUICK);
        var first =
                ProxyUnderTest.start(vertx, platform, config, work -> work, store -> how.of(QueueStore.class, store));
        var agent = first.agent(this::answer);
        assertThat(send(first, agent, "m1")).isEqualTo(202);
        busy = false;
        platform.bus.poke(DrainQueue.HINT, new DrainQueue(agent));
        await().until(how::dead);

        var other = ProxyUnderTest.start(vertx, platform, config, work -> work);

        await().until(() -> rowsOf(platform, "m1").size() == count);
        busy = true;
        await().until(() -> send(other, agent, "m2") == 202);
        busy = false;
        await().until(() -> {
            platform.bus.poke(DrainQueue.HINT, new DrainQueue(agent));
            return rowsOf(platform, "m2").size() == 1; // so nothing is before it any more
        });
        run.remove("m2");
        told = platform.live.stream()
                .filter(event -> event.type().equals("A2A_RESPONSE"))
                .filter(event -> event.payload()
                        .path("queue_id")
                        .asText()
                        .equals(rowsOf(platform, "m1").getLast().id().toString()))
                .toList();
        return rowsOf(platform, "m1");
    }

    private static List<ActivityRow> rowsOf(StandInPlatform platform, String messageId) {
        return platform.rows.stream()
                .filter(row -> String.valueOf(row.requestBody()).contains("\"" + messageId + "\""))
                .toList();
    }

    private static int send(ProxyUnderTest proxy, UUID agent, String messageId) {
        return proxy.send(
                        agent,
                        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"parts\":[]}}}"
                                .formatted(messageId))
                .statusCode();
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            JsonNode asked = Json.stored(body.toString());
            if (asked.path("method").asText().equals("molecule/tasks/byMessage")) {
                String id = asked.at("/params/messageId").asText();
                json(request.response(), !remembers ? UNKNOWN_METHOD : run.contains(id) ? TASK : UNKNOWN_TASK);
            } else if (busy) {
                request.response().setStatusCode(429).end();
            } else {
                run.add(asked.at("/params/message/messageId").asText());
                json(request.response(), SAID);
            }
        });
    }
}
