package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An agent's events reach the reader one by one, as fast as it reads, and every end is said. */
@ExtendWith(VertxExtension.class)
class StreamingAnswersTest {

    private static final String FIRST = "data: {\"n\":1.10}\n\n";
    private static final String SECOND = "data: {\"n\":2}\n\n";

    private final CompletableFuture<HttpServerResponse> agentSide = new CompletableFuture<>();

    @Test
    void an_event_arrives_before_the_next_is_sent_and_the_row_comes_at_the_end(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var reading = read(vertx, proxy, streamingAgent(proxy));
        var agent = agentSide.join();

        agent.write("id: agents-own\n" + FIRST);
        await().until(() -> plain(reading.soFar()).equals(FIRST));
        assertThat(proxy.platform.rows).isEmpty();
        agent.end(SECOND);

        assertThat(plain(reading.end.join())).isEqualTo(FIRST + SECOND);
        assertThat(reading.soFar()).matches("(?s)id: ([0-9a-f]{32}\\.1)-1\n.*id: \\1-2\n.*");
        assertThat(reading.response.getHeader("Content-Type")).isEqualTo("text/event-stream");
        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().responseBody()).isEqualTo("{\"n\":2}");
        assertThat(proxy.platform.rows.getFirst().status()).isEqualTo("ok");
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void a_silent_stream_is_commented_between_events_only(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, times(Duration.ofSeconds(30), Duration.ofMillis(50)));
        var reading = read(vertx, proxy, streamingAgent(proxy));

        agentSide.join().write("data: {\"ha");
        await().until(() -> reading.soFar().contains(": keep-alive\n\n"));
        agentSide.join().end("lf\":1}\n\n");

        assertThat(plain(reading.end.join()).replace(": keep-alive\n\n", "")).isEqualTo("data: {\"half\":1}\n\n");
    }

    @Test
    void a_stream_that_falls_silent_ends_with_an_error_event(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, times(Duration.ofMillis(200), Duration.ofSeconds(15)));
        var reading = read(vertx, proxy, streamingAgent(proxy));

        agentSide.join().write(FIRST);

        assertThat(plain(reading.end.join()))
                .startsWith(FIRST)
                .contains("data: {\"jsonrpc\":\"2.0\",\"id\":\"")
                .contains("\"error\":{\"code\":-32603,\"message\":\"stream interrupted: the agent sent nothing for");
        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().status()).isEqualTo("error");
    }

    @Test
    void a_stream_that_breaks_off_ends_with_an_error_event(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var dying = proxy.agent(request -> request.body().onSuccess(body -> {
            head(request.response()).write(FIRST + "data: {\"cut");
            request.response()
                    .write("off")
                    .onSuccess(written -> request.connection().close());
        }));

        var text = plain(read(vertx, proxy, dying).end.join());

        assertThat(text).startsWith(FIRST + "data: {\"jsonrpc\":\"2.0\"").contains("stream broke off");
    }

    @Test
    void a_reader_that_leaves_does_not_stop_the_agent_and_the_result_goes_live(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var reading = read(vertx, proxy, streamingAgent(proxy));
        agentSide.join().write(FIRST);
        await().until(() -> plain(reading.soFar()).equals(FIRST));

        reading.leave();
        await().until(() -> proxy.client.get("/health").send().await().statusCode() == 200);
        agentSide.join().write(SECOND);
        agentSide.join().end();

        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().responseBody()).isEqualTo("{\"n\":2}");
        assertThat(proxy.platform.order).containsExactly("A2A_RESPONSE", "row ok");
    }

    @Test
    void a_stream_that_begins_after_the_sender_gave_up_is_read_for_the_record(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx, config -> with(config, "a2a", with(config.a2a(), "callerWait", Duration.ofSeconds(1))));
        var held = new CompletableFuture<HttpServerResponse>();
        var slow = proxy.agent(request -> request.body().onSuccess(body -> held.complete(request.response())));

        assertThat(proxy.send(slow, HELLO).statusCode()).isEqualTo(504);
        head(held.join()).end(SECOND);

        await().untilAsserted(() -> assertThat(proxy.platform.order).containsExactly("A2A_RESPONSE", "row ok"));
    }

    @Test
    void a_slow_reader_holds_back_the_agent_and_loses_nothing(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        long total = 32L << 20;
        var written = new AtomicLong();
        var flood = proxy.agent(request ->
                request.body().onSuccess(body -> pour(head(request.response()), written, total)));
        var reading = Reading.paused(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + flood + "/a2a", HELLO);

        await().until(() -> written.get() > 0);
        long seen = settled(written);
        assertThat(seen).as("bytes taken from the agent while nobody reads").isLessThan(total / 2);

        var bytes = new AtomicLong();
        var over = new CompletableFuture<Long>();
        reading.response
                .handler(chunk -> bytes.addAndGet(chunk.length()))
                .endHandler(end -> over.complete(bytes.get()));
        reading.response.resume();
        assertThat(over.join()).isGreaterThanOrEqualTo(total);
    }

    /** The count once it has not moved for a while. */
    private static long settled(AtomicLong written) {
        var last = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(200)).until(() -> last.getAndSet(written.get()) == written.get());
        return written.get();
    }

    private static void pour(HttpServerResponse response, AtomicLong written, long total) {
        var event = Buffer.buffer("data: " + "x".repeat(64 * 1024 - 8) + "\n\n");
        while (written.get() < total) {
            if (response.writeQueueFull()) {
                response.drainHandler(space -> pour(response, written, total));
                return;
            }
            response.write(event);
            written.addAndGet(event.length());
        }
        response.drainHandler(null).end();
    }

    private static String plain(String events) {
        return events.replaceAll("(?m)^id: .*\n", "");
    }

    private UUID streamingAgent(ProxyUnderTest proxy) {
        return proxy.agent(request -> request.body().onSuccess(body -> {
            head(request.response()).writeHead();
            agentSide.complete(request.response());
        }));
    }

    private static HttpServerResponse head(HttpServerResponse response) {
        return response.setChunked(true).putHeader("Content-Type", "text/event-stream; charset=utf-8");
    }

    private static Reading read(Vertx vertx, ProxyUnderTest proxy, UUID agent) {
        return Reading.of(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + agent + "/a2a", HELLO);
    }

    private static UnaryOperator<ProxyConfig> times(Duration idle, Duration comment) {
        return config -> with(config, "a2a", with(config.a2a(), Map.of("streamIdle", idle, "keepAlive", comment)));
    }
}
