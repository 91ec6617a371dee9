package ai.molecule.proxy.frontdoor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An owner that accepts connections and answers nothing, as a stopped process does. */
@ExtendWith(VertxExtension.class)
class OwnersThatStandStillTest {

    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();
    private final Queue<HttpServerRequest> late = new ConcurrentLinkedQueue<>();

    @Test
    void readers_are_told_to_come_again_then_nothing_is_asked_and_they_are_served_again_when_it_goes_on(Vertx vertx) {
        var owner = ProxyUnderTest.serve(vertx, this::serve);
        var proxy = ProxyUnderTest.start(vertx, "REGISTRY_URL", ProxyUnderTest.urlOf(owner));
        assertThat(read(proxy).statusCode()).isEqualTo(200);
        stopped.set(true);

        var first = read(proxy);
        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.getHeader("Retry-After")).isEqualTo("2");
        assertThat(first.bodyAsString()).contains("\"code\":\"platform_unavailable\"");

        int before = asked.get();
        assertThat(read(proxy).statusCode()).isEqualTo(503);
        assertThat(proxy.post("/workspaces", "{}").statusCode()).isEqualTo(503); // nothing was sent
        assertThat(asked).hasValue(before);

        stopped.set(false);
        await().untilAsserted(() -> assertThat(read(proxy).statusCode()).isEqualTo(200));
    }

    @Test
    void the_only_replica_is_waited_for_when_a_busy_machine_makes_it_late(Vertx vertx) {
        var owner = ProxyUnderTest.serve(vertx, request -> answerLate(vertx, request));
        var proxy = ProxyUnderTest.start(vertx, "REGISTRY_URL", ProxyUnderTest.urlOf(owner));

        assertThat(read(proxy).statusCode()).isEqualTo(200);
        assertThat(asked)
                .as("requests, the look whether it is there not counted")
                .hasValue(1);
    }

    private static HttpResponse<Buffer> read(ProxyUnderTest proxy) {
        return proxy.client.get("/workspaces/" + UUID.randomUUID()).send().await();
    }

    private void serve(HttpServerRequest request) {
        boolean probe = request.path().equals("/ready");
        if (!probe) {
            asked.incrementAndGet();
        }
        if (!stopped.get()) {
            request.response().end("{}");
        }
    }

    /** The request and what asks meanwhile whether it is there, both 2 s after the second of them came. */
    private void answerLate(Vertx vertx, HttpServerRequest request) {
        late.add(request);
        if (request.path().equals("/ready")) {
            vertx.setTimer(2_000, now -> late.forEach(one -> one.response().end("{}")));
        } else {
            asked.incrementAndGet();
        }
    }
}
