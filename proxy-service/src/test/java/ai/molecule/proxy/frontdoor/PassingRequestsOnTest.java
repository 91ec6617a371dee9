package ai.molecule.proxy.frontdoor;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import ai.molecule.testkit.Kept;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every other path reaches its owner and its answer comes back, as if the client had asked there. */
@ExtendWith(VertxExtension.class)
class PassingRequestsOnTest {

    @Test
    void each_path_goes_to_its_owner_with_method_query_and_body(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx,
                "REGISTRY_URL",
                echo(vertx, "registry"),
                "EVENTS_URL",
                echo(vertx, "events"),
                "PROVISIONER_URL",
                echo(vertx, "provisioner"));

        assertThat(seen(proxy.post("/workspaces?x=%20y", "{\"n\":1}")))
                .isEqualTo("201 registry POST /workspaces?x=%20y {\"n\":1}");
        assertThat(seen(proxy.client.get("/events").send().await())).isEqualTo("201 events GET /events ");
        assertThat(seen(proxy.client.delete("/workspaces/1/files/a%2Fb").send().await()))
                .isEqualTo("201 provisioner DELETE /workspaces/1/files/a%2Fb ");
    }

    @Test
    void a_path_nobody_owns_is_not_found_in_json(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);

        assertThat(seen(proxy.client.get("/nowhere").send().await())).isEqualTo("404 {\"error\":\"not found\"}");
        assertThat(seen(proxy.client.get("/workspaces/1/a2a").send().await()))
                .isEqualTo("404 {\"error\":\"not found\"}");
    }

    @Test
    void the_probes_are_the_proxys_own(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);

        assertThat(seen(proxy.client.get("/health").send().await())).isEqualTo("200 {\"status\":\"ok\"}");
        assertThat(proxy.client.get("/metrics").send().await().bodyAsString()).contains("molecule_activity_waiting");
    }

    @Test
    void an_owner_that_is_down_costs_only_its_paths(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx,
                "REGISTRY_URL",
                "http://127.0.0.1:" + TestStores.freePort(),
                "EVENTS_URL",
                echo(vertx, "events"));

        var down = proxy.client.get("/workspaces").send().await();

        assertThat(down.statusCode()).isEqualTo(503);
        assertThat(down.getHeader("Retry-After")).isEqualTo("2");
        assertThat(down.bodyAsJsonObject().getString("code")).isEqualTo("platform_unavailable");
        assertThat(down.bodyAsJsonObject().getString("error")).isNotEmpty();
        assertThat(proxy.client.get("/events").send().await().statusCode()).isEqualTo(201);
    }

    @Test
    void an_owner_that_dies_over_a_change_invites_no_repeat(Vertx vertx) {
        var proxy = behind(
                vertx,
                request ->
                        request.body().onComplete(read -> request.connection().close()));

        assertThat(proxy.post("/workspaces", "{}").statusCode()).isEqualTo(502);
        assertThat(proxy.client.get("/workspaces").send().await().statusCode()).isEqualTo(503);
    }

    @Test
    void an_owner_that_dies_within_a_small_answer_is_an_error_and_not_half_an_answer(Vertx vertx) {
        var proxy = behind(vertx, request -> {
            request.response().putHeader("Content-Length", "100").write("half of it");
            vertx.setTimer(50, written -> request.connection().close());
        });

        assertThat(proxy.post("/workspaces", "{}").statusCode()).isEqualTo(502);
        var down = proxy.client.get("/workspaces").send().await();
        assertThat(down.statusCode()).isEqualTo(503);
        assertThat(down.bodyAsJsonObject().getString("code")).isEqualTo("platform_unavailable");
    }

    @Test
    void past_the_limit_the_owner_is_spared(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "RATE_LIMIT", "1", "REGISTRY_URL", echo(vertx, "registry"));

        proxy.client.get("/workspaces").send().await();
        proxy.client.get("/workspaces").send().await();

        // a minute may end in between
        await().untilAsserted(() -> assertThat(
                        proxy.client.get("/workspaces").send().await().statusCode())
                .isEqualTo(429));
    }

    @Test
    void a_body_that_breaks_off_is_no_whole_one_to_its_owner(Vertx vertx) {
        List<String> read = new CopyOnWriteArrayList<>();
        var proxy = behind(
                vertx,
                request -> request.exceptionHandler(cut -> read.add("cut"))
                        .endHandler(end -> read.add("whole"))
                        .handler(chunk -> read.add(chunk.toString())));
        var client = Kept.kept(vertx.createNetClient())
                .connect(proxy.port, "127.0.0.1")
                .await();
        client.write("PUT /workspaces/1/model HTTP/1.1\r\nHost: localhost\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
                .await();
        await().until(() -> read.contains("hello"));

        client.close().await();

        await().until(() -> read.size() > 1);
        assertThat(read).containsExactly("hello", "cut");
    }

    @Test
    void big_bodies_stream_both_ways_intact(Vertx vertx) {
        var proxy = behind(vertx, request -> {
            request.response().setChunked(true);
            request.pipeTo(request.response());
        });
        byte[] big = new byte[32 << 20];
        new Random(1).nextBytes(big);

        var response = proxy.client
                .put("/workspaces/1/model")
                .sendBuffer(Buffer.buffer(big))
                .await();

        assertThat(response.body().getBytes()).isEqualTo(big);
    }

    @Test
    void an_event_stream_is_not_held_back(Vertx vertx) {
        var owner = new CompletableFuture<HttpServerResponse>();
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(ProxyUnderTest.serve(vertx, request -> {
            request.response()
                    .setChunked(true)
                    .putHeader("Content-Type", "text/event-stream")
                    .putHeader("Connection", "keep-alive")
                    .writeHead();
            owner.complete(request.response());
        })));
        var reading = Reading.of(vertx, HttpMethod.GET, proxy.port, "/workspaces/1/events/stream", "");

        assertThat(reading.response.getHeader("Connection")).isEqualTo("keep-alive");
        owner.join().write("data: 1\n\n");
        await().until(() -> reading.soFar().equals("data: 1\n\n"));
        owner.join().end("data: 2\n\n");

        assertThat(reading.end.join()).isEqualTo("data: 1\n\ndata: 2\n\n");
    }

    @Test
    void an_event_stream_whose_owner_sends_nothing_for_too_long_ends(Vertx vertx) {
        var freed = new CompletableFuture<Void>();
        var proxy = ProxyUnderTest.start(
                vertx,
                config -> with(config, "frontDoor", new FrontDoorLimits(Duration.ofMillis(500))),
                "EVENTS_URL",
                urlOf(ProxyUnderTest.serve(vertx, request -> {
                    request.response().closeHandler(freed::complete);
                    request.response()
                            .setChunked(true)
                            .putHeader("Content-Type", "text/event-stream")
                            .write("data: 1\n\n");
                })));

        var reading = Reading.of(vertx, HttpMethod.GET, proxy.port, "/workspaces/1/events/stream", "");

        assertThat(reading.end).succeedsWithin(Duration.ofSeconds(60));
        assertThat(reading.end.join()).isEqualTo("data: 1\n\n");
        assertThat(freed).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void a_client_that_leaves_frees_the_owner(Vertx vertx) {
        var left = new CompletableFuture<Void>();
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(ProxyUnderTest.serve(vertx, request -> {
            request.response().closeHandler(left::complete);
            request.response().setChunked(true).writeHead();
        })));

        Reading.of(vertx, HttpMethod.GET, proxy.port, "/workspaces/1/events/stream", "")
                .leave();

        assertThat(left).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void a_body_that_waits_for_leave_gets_it(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "REGISTRY_URL", echo(vertx, "registry"));
        var client = Kept.kept(vertx.createHttpClient());

        String answer = client.request(HttpMethod.POST, proxy.port, "127.0.0.1", "/workspaces")
                .compose(request -> {
                    request.putHeader("Expect", "100-continue").putHeader("Content-Length", "2");
                    request.continueHandler(go -> request.end("{}"));
                    request.sendHead();
                    return request.response().compose(response -> response.body());
                })
                .await()
                .toString();

        assertThat(answer).isEqualTo("registry POST /workspaces {}");
    }

    @Test
    void what_a_client_expects_and_nobody_knows_is_refused_before_its_body_comes(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "REGISTRY_URL", echo(vertx, "registry"));

        String answer = raw(
                vertx,
                proxy,
                "POST /workspaces HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 417 ");
    }

    @Test
    void a_handshake_with_a_body_is_refused_at_once(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", echo(vertx, "events"));

        String answer = raw(
                vertx,
                proxy,
                "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 5\r\n\r\nhello");

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("a WebSocket handshake has no body");
    }

    @Test
    void a_head_and_an_empty_answer_end_properly(Vertx vertx) {
        var proxy = behind(
                vertx,
                request -> request.response()
                        .putHeader("Content-Length", "5")
                        .setStatusCode(200)
                        .end(HttpMethod.HEAD.equals(request.method()) ? "" : "hello"));

        assertThat(proxy.client.head("/workspaces").send().await().statusCode()).isEqualTo(200);
        assertThat(proxy.client.get("/workspaces").send().await().bodyAsString())
                .isEqualTo("hello");
    }

    /** All that is answered until the connection ends. */
    private static String raw(Vertx vertx, ProxyUnderTest proxy, String request) {
        return Kept.kept(vertx.createNetClient())
                .connect(proxy.port, "127.0.0.1")
                .compose(socket -> {
                    var answer = Buffer.buffer();
                    Promise<String> ended = Promise.promise();
                    socket.handler(answer::appendBuffer);
                    socket.closeHandler(closed -> ended.complete(answer.toString()));
                    return socket.write(request).compose(written -> ended.future());
                })
                .await();
    }

    private static ProxyUnderTest behind(Vertx vertx, Handler<HttpServerRequest> registry) {
        return ProxyUnderTest.start(vertx, "REGISTRY_URL", urlOf(ProxyUnderTest.serve(vertx, registry)));
    }

    private static String echo(Vertx vertx, String name) {
        return urlOf(ProxyUnderTest.serve(
                vertx,
                request -> request.body()
                        .onSuccess(body -> request.response()
                                .setStatusCode(201)
                                .end(name + " " + request.method() + " " + request.uri() + " " + body))));
    }
}
