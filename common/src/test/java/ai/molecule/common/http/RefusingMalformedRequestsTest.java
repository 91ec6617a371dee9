package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Reach;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.testkit.Kept;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What cannot be read is its sender's error, and told in JSON. */
@ExtendWith(VertxExtension.class)
class RefusingMalformedRequestsTest {

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    private int port;

    @Test
    void a_text_that_its_sender_calls_a_form_is_taken_for_text(Vertx vertx) {
        serve(vertx);
        String text = "{\"text\":\"%s\"}".formatted("x".repeat(5_000));

        var answer = client.post("/echo")
                .putHeader("Content-Type", "application/x-www-form-urlencoded")
                .sendBuffer(Buffer.buffer(text))
                .await();

        assertThat(answer.statusCode()).isEqualTo(200);
    }

    @Test
    void a_body_that_is_no_object_too_large_or_holds_a_nul_is_the_clients_error(Vertx vertx) {
        serve(vertx);

        assertThat(post("[1]")).isEqualTo("400 {\"error\":\"invalid body\"}");
        assertThat(post("{\"a\":")).isEqualTo("400 {\"error\":\"invalid body\"}");
        assertThat(post("{\"a\":\"\\u0000\"}")).isEqualTo("400 {\"error\":\"invalid body\"}");
        assertThat(post("{\"a\":\"" + "x".repeat(2_000_000) + "\"}"))
                .isEqualTo("413 {\"error\":\"request body too large\"}");
        assertThat(post("{\"NAME\":\"x\",\"n\":1.10} trailing")).isEqualTo("200 {\"NAME\":\"x\",\"n\":1.10}");
    }

    @Test
    void what_would_not_come_back_from_the_database_as_it_went_in_is_the_clients_error(Vertx vertx) {
        serve(vertx);

        for (String value :
                List.of("\"\\ud800\"", "\"\\udc00\\ud800\"", "1e5000", "1e400", "1e-5000", "[[1e131000]]")) {
            assertThat(post("{\"a\":%s}".formatted(value))).as(value).isEqualTo("400 {\"error\":\"invalid body\"}");
        }
        assertThat(post("{\"\\udc00\":1}")).isEqualTo("400 {\"error\":\"invalid body\"}");
        String longName = "k".repeat(60_000);
        for (String value : List.of("{\"a\":\"😀\"}", "{\"a\":1E+300}", "{\"" + longName + "\":1}")) {
            assertThat(post(value)).isEqualTo("200 " + value);
        }
    }

    @Test
    void a_path_or_query_that_cannot_be_decoded_is_the_clients_error(Vertx vertx) {
        serve(vertx);

        for (String target : List.of(
                "/workspaces/%",
                "/workspaces/%zz",
                "/workspaces/a%2",
                "/workspaces/%ff%fe",
                "/workspaces/%c0%80",
                "/open?a=%",
                "/open?a=%ed%a0%80",
                "/nowhere?%g1")) {
            assertThat(raw(vertx, "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
                    .as(target)
                    .startsWith("HTTP/1.1 400 ")
                    .endsWith("{\"error\":\"bad request\"}");
        }
    }

    @Test
    void what_is_no_http_is_answered_in_json_too(Vertx vertx) {
        serve(vertx);

        assertThat(raw(vertx, "GET /open HTTP/1.1\r\nContent-Length: x\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .endsWith("{\"error\":\"bad request\"}");
        assertThat(raw(vertx, "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n"))
                .contains(" 414 ")
                .endsWith("{\"error\":\"request target too long\"}");
        assertThat(raw(vertx, "GET /open HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"))
                .contains(" 431 ")
                .endsWith("{\"error\":\"request headers too large\"}");
    }

    private String post(String body) {
        var response = client.post("/echo").sendBuffer(Buffer.buffer(body)).await();
        return response.statusCode() + " " + response.bodyAsString();
    }

    /** What comes back up to the end of the first JSON object. */
    private String raw(Vertx vertx, String request) {
        var socket =
                Kept.kept(vertx.createNetClient()).connect(port, "127.0.0.1").await();
        var all = Buffer.buffer();
        Promise<String> answer = Promise.promise();
        socket.handler(part -> {
            if (all.appendBuffer(part).toString().endsWith("}")) {
                answer.tryComplete(all.toString());
            }
        });
        socket.closeHandler(closed -> answer.tryComplete(all.toString()));
        socket.write(request);
        return answer.future().await();
    }

    private void serve(Vertx vertx) {
        var service =
                ServiceContext.open(vertx, TestConfig.platform(), "malformed").await();
        var nobodyAsks = new Guards(service.config(), question -> Future.failedFuture("not asked"));
        var page = new RoutePage(service, nobodyAsks);
        page.get("/open", Guard.OPEN, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .post(
                        "/echo",
                        Guard.OPEN,
                        Reach.NOTHING,
                        ctx -> Answers.json(ctx, Future.succeededFuture(echoed(ctx))));
        port = service.listen(0, page.router()).await().actualPort();
        client = WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port));
    }

    private static ObjectNode echoed(RoutingContext ctx) {
        return JsonBody.of(ctx, "invalid body").members();
    }
}
