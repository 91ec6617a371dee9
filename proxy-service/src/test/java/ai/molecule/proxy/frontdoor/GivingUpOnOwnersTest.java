package ai.molecule.proxy.frontdoor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GivingUpOnOwnersTest {

    private static final SocketAddress OWNER = SocketAddress.inetSocketAddress(1, "127.0.0.1");

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = vertx.createHttpClient(); // one that nobody holds closes itself
    private final List<HttpServerRequest> arrived = new CopyOnWriteArrayList<>();
    private int port;

    @BeforeEach
    void start() throws Exception {
        port = vertx.createHttpServer()
                .requestHandler(arrived::add)
                .listen(0, "127.0.0.1")
                .await(60, TimeUnit.SECONDS)
                .actualPort();
    }

    @AfterEach
    void stop() throws Exception {
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    @Test
    void what_waits_for_too_long_fails_and_nothing_else_does() throws Exception {
        var patient = send();
        var begun = send();
        var late = send();

        vertx.getOrCreateContext().runOnContext(now -> {
            var pending = new PendingRequests(vertx, asked -> Future.succeededFuture(true), known -> true);
            pending.add(patient, OWNER, true, Duration.ofMinutes(5));
            pending.add(begun, OWNER, true, Duration.ofMillis(1));
            pending.remove(begun);
            pending.add(late, OWNER, true, Duration.ofMillis(1));
        });

        await().untilAsserted(() -> assertThat(late.response().failed()).isTrue());
        arrived.subList(0, 2).forEach(request -> request.response().end());
        for (var request : List.of(patient, begun)) {
            assertThat(request.response().await(60, TimeUnit.SECONDS).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void a_handshake_that_nobody_answers_fails_as_well() throws Exception {
        var handshake = client.request(HttpMethod.GET, port, "127.0.0.1", "/ws").await(60, TimeUnit.SECONDS);
        var joined = handshake.connect();

        vertx.getOrCreateContext()
                .runOnContext(now -> new PendingRequests(vertx, asked -> Future.succeededFuture(true), known -> true)
                        .add(handshake, OWNER, true, Duration.ofMillis(1)));

        await().untilAsserted(() -> assertThat(joined.failed()).isTrue());
    }

    @Test
    void an_owner_that_stands_still_is_asked_nothing_until_it_answers_and_its_readers_are_told_to_come_again()
            throws Exception {
        var there = new AtomicBoolean();
        var breaker = new CompletableFuture<PendingRequests>();
        var read = send();
        var write = send();
        vertx.getOrCreateContext().runOnContext(now -> {
            var pending = new PendingRequests(vertx, asked -> Future.succeededFuture(there.get()), known -> true);
            pending.add(read, OWNER, true, Duration.ofMinutes(5));
            pending.add(write, OWNER, false, Duration.ofMinutes(5));
            breaker.complete(pending);
        });

        await().untilAsserted(() -> assertThat(read.response().failed()).isTrue());
        assertThat(breaker.join().standsStill(OWNER)).isTrue();
        assertThat(write.response().isComplete()).isFalse(); // it may have been done

        there.set(true);
        await().untilAsserted(
                        () -> assertThat(breaker.join().standsStill(OWNER)).isFalse());
    }

    @Test
    void an_owner_that_stands_still_and_has_no_such_address_any_more_is_asked_no_longer() throws Exception {
        var known = new AtomicBoolean(true);
        var breaker = new CompletableFuture<PendingRequests>();
        var read = send();
        vertx.getOrCreateContext().runOnContext(now -> {
            var pending = new PendingRequests(vertx, asked -> Future.succeededFuture(false), address -> known.get());
            pending.add(read, OWNER, true, Duration.ofMinutes(5));
            breaker.complete(pending);
        });
        await().untilAsserted(
                        () -> assertThat(breaker.join().standsStill(OWNER)).isTrue());

        known.set(false);

        await().untilAsserted(
                        () -> assertThat(breaker.join().standsStill(OWNER)).isFalse());
    }

    private HttpClientRequest send() throws Exception {
        int before = arrived.size();
        var request = client.request(HttpMethod.GET, port, "127.0.0.1", "/").await(60, TimeUnit.SECONDS);
        request.end().await(60, TimeUnit.SECONDS);
        await().until(() -> arrived.size() > before);
        return request;
    }
}
