package ai.molecule.proxy.waiting;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import ai.molecule.proxy.StandInPlatform;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls to a task that waits for a person are not held, and end as others do. */
@ExtendWith(VertxExtension.class)
class LettingGoTest {

    private static final String DONE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"status\":"
                    + "{\"state\":\"completed\",\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"shipped\"}]}}}}";

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger hungUp = new AtomicInteger();
    private final List<HttpServerResponse> streams = new CopyOnWriteArrayList<>();
    private volatile boolean busy;
    private volatile String lookup =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"status\":{\"state\":\"working\"}}}";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private StandInPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private Pool database;

    private UUID agent = UUID.randomUUID();

    @BeforeEach
    void start(Vertx vertx) {
        this.vertx = vertx;
        platform = new StandInPlatform(vertx);
        String url = TestStores.freshDatabase();
        database = Postgres.pool(vertx, url, "proxy");
        proxy = ProxyUnderTest.start(
                vertx, platform, ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url)), work -> work);
        agent = platform.workspaceAt(address());
    }

    @Test
    void a_persons_call_is_let_go_once_nobody_waits_and_its_end_is_recorded_behind_a_restart() {
        var answer = proxy.send(agent, message("m-1", "message/send"), "X-Timeout", "1");
        assertThat(seen(answer)).isEqualTo("504 {\"error\":\"agent still working\",\"delivered\":true}");

        platform.ask(agent, "t-1");
        await().untilAsserted(() -> assertThat(hungUp).hasValue(1));
        assertThat(platform.rows).isEmpty();

        var next = proxy.replica();
        proxy.stopping().await();
        platform.put(agent, address(), true, WorkspaceStatus.ONLINE, false);
        lookup = DONE;
        platform.decide();

        await().untilAsserted(() -> assertThat(
                        platform.rows.stream().map(row -> row.status() + " " + row.responseBody()))
                .containsExactly("ok " + platform.rows.stored(DONE)));
        assertThat(platform.live.stream()
                        .filter(event -> event.type().equals("A2A_RESPONSE"))
                        .map(event -> event.type() + " "
                                + event.payload().at("/response_body/result/id").asText()))
                .containsExactly("A2A_RESPONSE t-1");
        await().until(() -> count("released_calls") == 0);
        assertThat(received).containsOnlyOnce("m-1");
        next.stopping().await();
    }

    @Test
    void a_call_whose_agent_cannot_be_asked_later_is_held() {
        lookup = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"unknown method\"}}";
        proxy.send(agent, message("m-1", "message/send"), "X-Timeout", "1");
        platform.ask(agent, "t-1");
        await().until(() -> received.contains("molecule/tasks/byMessage"));
        platform.decide();
        await().until(() -> count("waits") == 0);

        assertThat(hungUp).hasValue(0);
        assertThat(count("released_calls")).isZero();
    }

    @Test
    void what_waited_for_a_busy_agent_gives_its_place_to_the_next() {
        busy = true;
        assertThat(proxy.send(agent, message("m-1", "message/send")).statusCode())
                .isEqualTo(202);
        assertThat(proxy.send(agent, message("m-2", "message/send")).statusCode())
                .isEqualTo(202);
        busy = false;
        platform.bus.publish(DrainQueue.HINT, new DrainQueue(agent));
        await().until(() -> count("a2a_queue WHERE sent") == 1);
        assertThat(count("a2a_queue WHERE status = 'queued'")).isEqualTo(1);

        platform.ask(agent, "t-1");

        await().until(() -> received.stream().filter("m-2"::equals).count() == 2);
        assertThat(count("released_calls")).isPositive();
    }

    @Test
    void a_stream_that_nobody_reads_is_let_go() {
        var reading = Reading.of(
                vertx, HttpMethod.POST, proxy.port, "/workspaces/" + agent + "/a2a", message("m-1", "message/stream"));
        await().until(() -> reading.soFar().contains("t-1"));
        platform.ask(agent, "t-1");
        await().until(() -> count("waits") == 1);
        assertThat(hungUp).hasValue(0);

        reading.leave();

        await().until(() -> count("released_calls") == 1);
        lookup = DONE;
        platform.decide();
        await().untilAsserted(() -> assertThat(
                        platform.rows.stream().map(row -> row.status() + " " + row.responseBody()))
                .containsExactly("ok " + platform.rows.stored(DONE)));
    }

    private String address() {
        return ProxyUnderTest.urlOf(ProxyUnderTest.serve(
                vertx, request -> request.body().onSuccess(body -> answer(request, Json.stored(body.toString())))));
    }

    private void answer(HttpServerRequest request, JsonNode body) {
        String method = body.path("method").asText();
        received.add(
                method.startsWith("molecule/")
                        ? method
                        : body.at("/params/message/messageId").asText());
        if (method.startsWith("molecule/")) {
            json(request.response(), lookup);
        } else if (busy) {
            request.response().setStatusCode(429).end();
        } else {
            request.response().exceptionHandler(gone -> {}).closeHandler(gone -> hungUp.incrementAndGet());
            if (method.equals("message/stream")) {
                request.response()
                        .setChunked(true)
                        .putHeader("Content-Type", "text/event-stream")
                        .write(
                                "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"status\":"
                                        + "{\"state\":\"working\"}}}\n\n");
                streams.add(request.response());
            }
        }
    }

    private long count(String table) {
        return database.query("SELECT count(*) FROM " + table)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private static String message(String id, String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"message\":{\"messageId\":\"%s\",\"role\":\"user\",\"parts\":[]}}}"
                .formatted(method, id);
    }
}
