package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.provisioner.IsRunning.Verdict;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the sender is told, and what is written down, when the agent is gone, breaks off, errs or says too much. */
@ExtendWith(VertxExtension.class)
class AgentsThatFailTest {

    private static final String UNREACHABLE = "502 {\"error\":\"failed to reach workspace agent\"}";

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
    }

    @Test
    void nobody_listening_is_unreachable_while_the_engine_says_alive_or_does_not_know() {
        var gone = nobody();

        assertThat(seen(proxy.send(gone, HELLO))).isEqualTo(UNREACHABLE);
        proxy.platform.engineSays = Verdict.RUNNING;
        assertThat(seen(proxy.send(gone, HELLO))).isEqualTo(UNREACHABLE);

        var row = firstRow();
        assertThat(row.status()).isEqualTo("error");
        assertThat(row.summary()).isEqualTo("A2A request to planner failed: connection refused");
        assertThat(row.errorDetail()).isEqualTo("connection refused");
        assertThat(row.responseBody()).isNull();
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void nobody_listening_and_an_exited_process_is_a_restart() {
        proxy.platform.engineSays = Verdict.EXITED;

        assertThat(seen(proxy.send(nobody(), HELLO)))
                .isEqualTo(
                        "503 {\"error\":\"workspace agent unreachable — container restart triggered\",\"restarting\":true}");
    }

    @Test
    void an_agent_that_dies_before_its_headers_may_have_done_the_work() {
        var dying = proxy.agent(
                request -> request.body().onSuccess(body -> request.connection().close()));

        var response = proxy.send(dying, HELLO);

        assertThat(seen(response)).isEqualTo("502 {\"error\":\"failed to reach workspace agent\",\"delivered\":true}");
        assertThat(firstRow().errorDetail()).isEqualTo("connection lost before an answer");
    }

    @Test
    void an_answer_cut_in_the_middle_was_delivered() {
        var dying = proxy.agent(request -> request.body().onSuccess(body -> {
            request.response().putHeader("Content-Length", "1000");
            request.response()
                    .write("{\"half\":")
                    .onSuccess(written -> request.connection().close());
        }));

        var response = proxy.send(dying, HELLO);

        assertThat(seen(response))
                .isEqualTo("502 {\"error\":\"failed to read agent response\",\"delivery_confirmed\":true}");
        assertThat(firstRow().status()).isEqualTo("ok");
        assertThat(firstRow().responseBody()).isNull();
    }

    @Test
    void an_answer_over_ten_mebibytes_is_refused_not_cut() {
        var chunk = Buffer.buffer("x".repeat(1024 * 1024));
        var talker = proxy.agent(request -> request.body().onSuccess(body -> {
            request.response().setChunked(true);
            for (int i = 0; i < 11; i++) {
                request.response().write(chunk);
            }
            request.response().end();
        }));

        assertThat(seen(proxy.send(talker, HELLO)))
                .isEqualTo("502 {\"error\":\"agent response exceeds 10 MiB\",\"delivery_confirmed\":true}");
        assertThat(firstRow().errorDetail()).isEqualTo("agent response exceeds 10 MiB");
    }

    @Test
    void an_answer_of_exactly_ten_mebibytes_passes() {
        String answer = "\"" + "x".repeat(10 * 1024 * 1024 - 2) + "\"";

        assertThat(proxy.send(proxy.agentSaying(answer), HELLO).body().length()).isEqualTo(10 * 1024 * 1024);
    }

    @Test
    void an_agents_error_status_keeps_its_number_and_its_own_words() {
        assertThat(seen(proxy.send(failing(500, "{\"error\":\"model \\u00fcber\\nloaded\",\"x\":1}"), HELLO)))
                .isEqualTo("500 {\"error\":\"model über\\nloaded\"}");
        assertThat(seen(proxy.send(failing(500, "<html>oops"), HELLO)))
                .isEqualTo("500 {\"error\":\"Internal Server Error\"}");
        assertThat(seen(proxy.send(failing(400, "{\"error\":{\"code\":-32600}}"), HELLO)))
                .isEqualTo("400 {\"error\":\"Bad Request\"}");
        assertThat(seen(proxy.send(failing(404, ""), HELLO))).isEqualTo("404 {\"error\":\"Not Found\"}");

        assertThat(firstRow().status()).isEqualTo("error");
        assertThat(firstRow().errorDetail()).isNull();
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void a_redirect_is_an_error_and_is_not_followed() {
        var followed = new AtomicInteger();
        var elsewhere = proxy.agent(request -> {
            followed.incrementAndGet();
            request.response().end();
        });
        var redirecting = proxy.agent(request -> request.body()
                .onSuccess(body -> request.response()
                        .setStatusCode(307)
                        .putHeader("Location", "/workspaces/" + elsewhere)
                        .end()));

        assertThat(seen(proxy.send(redirecting, HELLO))).isEqualTo("307 {\"error\":\"Temporary Redirect\"}");
        assertThat(followed).hasValue(0);
    }

    @Test
    void a_wrong_agent_at_the_address_makes_the_proxy_ask_anew_and_try_once_more(Vertx vertx) {
        var wrongCalls = new AtomicInteger();
        var moved = UUID.randomUUID();
        var right = ProxyUnderTest.serve(
                vertx, request -> request.body().onSuccess(body -> json(request.response(), "{\"right\":1}")));
        var wrong = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    wrongCalls.incrementAndGet();
                    proxy.platform.put(moved, ProxyUnderTest.urlOf(right), true, WorkspaceStatus.ONLINE, false);
                    request.response().setStatusCode(421).end();
                }));
        proxy.platform.put(moved, ProxyUnderTest.urlOf(wrong), true, WorkspaceStatus.ONLINE, false);

        assertThat(seen(proxy.send(moved, HELLO))).isEqualTo("200 {\"right\":1}");
        assertThat(wrongCalls).hasValue(1);
    }

    @Test
    void a_wrong_agent_at_the_address_of_one_that_has_none_any_more_is_answered_at_once(Vertx vertx) {
        var gone = UUID.randomUUID();
        var wrong = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    proxy.platform.put(gone, "", true, WorkspaceStatus.PROVISIONING, false);
                    request.response().setStatusCode(421).end();
                }));
        proxy.platform.put(gone, ProxyUnderTest.urlOf(wrong), true, WorkspaceStatus.ONLINE, false);

        assertThat(seen(proxy.send(gone, HELLO)))
                .startsWith("503 ")
                .contains("workspace has no URL")
                .contains("provisioning");
    }

    @Test
    void a_wrong_agent_twice_is_unreachable() {
        var calls = new AtomicInteger();
        var wrong = proxy.agent(request -> request.body().onSuccess(body -> {
            calls.incrementAndGet();
            request.response().setStatusCode(421).end();
        }));

        assertThat(seen(proxy.send(wrong, HELLO))).isEqualTo(UNREACHABLE);
        assertThat(calls).hasValue(2);
        assertThat(firstRow().errorDetail()).isEqualTo("another agent answered at this address");
    }

    private UUID nobody() {
        return proxy.platform.workspaceAt("http://127.0.0.1:" + TestStores.freePort());
    }

    private UUID failing(int status, String body) {
        return proxy.agent(request -> request.body()
                .onSuccess(read -> request.response().setStatusCode(status).end(body)));
    }

    private ActivityRow firstRow() {
        await().untilAsserted(() -> assertThat(proxy.platform.rows).isNotEmpty());
        return proxy.platform.rows.getFirst();
    }
}
