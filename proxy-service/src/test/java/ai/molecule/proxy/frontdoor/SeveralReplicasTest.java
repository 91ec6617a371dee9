package ai.molecule.proxy.frontdoor;

import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.junit5.VertxExtension;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An owner may have several replicas; one that cannot serve costs no request. */
@ExtendWith(VertxExtension.class)
class SeveralReplicasTest {

    private static final int ENOUGH = 10;

    private final Set<String> unready = ConcurrentHashMap.newKeySet();

    @Test
    void they_take_requests_in_turn(Vertx vertx) {
        var proxy = proxy(vertx, urlOf(owner(vertx, "a")), urlOf(owner(vertx, "b")));

        await().until(() -> answers(proxy).equals(Set.of("200 a", "200 b")));
    }

    @Test
    void one_that_is_not_ready_is_not_asked_until_it_is(Vertx vertx) {
        var proxy = proxy(vertx, urlOf(owner(vertx, "a")), urlOf(owner(vertx, "b")));

        unready.add("a");
        await().until(() -> answers(proxy).equals(Set.of("200 b")));

        unready.clear();
        await().until(() -> answers(proxy).equals(Set.of("200 a", "200 b")));
    }

    @Test
    void one_that_accepts_no_connection_costs_no_request(Vertx vertx) {
        var proxy = proxy(vertx, "http://127.0.0.1:" + TestStores.freePort(), urlOf(owner(vertx, "b")));

        assertThat(answers(proxy)).containsExactly("200 b");
    }

    @Test
    void when_none_says_that_it_is_ready_all_are_asked(Vertx vertx) {
        unready.addAll(Set.of("a", "b"));
        var proxy = proxy(vertx, urlOf(owner(vertx, "a")), urlOf(owner(vertx, "b")));

        await().until(() -> answers(proxy).equals(Set.of("200 a", "200 b")));
    }

    @Test
    void one_that_accepts_and_stays_silent_gathers_no_connections(Vertx vertx) {
        var asked = new AtomicInteger();
        Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
        var silent = ProxyUnderTest.serve(vertx, request -> {
            asked.incrementAndGet();
            open.add(request.connection());
            request.connection().closeHandler(closed -> open.remove(request.connection()));
        });
        proxy(vertx, urlOf(silent), urlOf(owner(vertx, "b")));

        await().until(() -> asked.get() >= 3);

        await().until(() -> open.size() <= 1);
    }

    private static ProxyUnderTest proxy(Vertx vertx, String... urls) {
        return ProxyUnderTest.start(vertx, "REGISTRY_URL", String.join(", ", urls));
    }

    private HttpServer owner(Vertx vertx, String name) {
        return ProxyUnderTest.serve(vertx, request -> {
            boolean refuses = request.path().equals("/ready") && unready.contains(name);
            request.response().setStatusCode(refuses ? 503 : 200).end(name);
        });
    }

    /** Of several requests, each once. */
    private static Set<String> answers(ProxyUnderTest proxy) {
        Set<String> answers = new HashSet<>();
        for (int i = 0; i < ENOUGH; i++) {
            answers.add(
                    ProxyUnderTest.seen(proxy.client.post("/workspaces").send().await()));
        }
        return answers;
    }
}
