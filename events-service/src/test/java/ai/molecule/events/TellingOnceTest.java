package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One of two replicas is killed (SIGKILL) while receivers have what it sent and have not answered: nobody misses anything, and nothing is told as two. */
@ExtendWith(VertxExtension.class)
class TellingOnceTest {

    /** More than one replica tells at once (32), so that both have some. */
    private static final int TARGETS = 50;

    private static final int THINGS = 3;

    /** What came, by its id, each as often as it did. */
    private final Map<String, List<String>> heard = new ConcurrentHashMap<>();

    private final Queue<HttpServerRequest> held = new ConcurrentLinkedQueue<>();

    /** Targets whose sender hung up before it had an answer. */
    private final Queue<String> abandoned = new ConcurrentLinkedQueue<>();

    private volatile boolean slow = true;

    @Test
    void what_a_killed_replica_had_sent_is_told_again_under_the_same_id_and_nothing_is_lost(Vertx vertx)
            throws IOException {
        var service = EventsFixture.start(vertx, Organisation.on(vertx), EventsFixture.quick(30_000, 60_000));
        service.bus
                .serve(KeepSecret.CONTRACT, secret -> Future.succeededFuture(new KeepSecret.Kept()))
                .await();
        TellingReplica.serveSecrets(service.bus, "a-secret-of-some-length");
        var receiver = receiver(vertx);
        for (int nth = 0; nth < TARGETS; nth++) {
            target(service, receiver, nth);
        }
        var writer = service.organisation.add("Writer", null);
        var replica = TellingReplica.start(service.env);
        try {
            for (int nth = 0; nth < THINGS; nth++) {
                var asked = Json.object().put("approval_id", "a-" + nth).put("action", "thing " + nth);
                EventLog.append(service.database, "APPROVAL_REQUESTED", writer, asked)
                        .await();
                service.log.committed();
            }
            await().until(() -> held.size() == TARGETS);
        } finally {
            replica.destroyForcibly(); // SIGKILL
        }

        slow = false;
        held.forEach(TellingOnceTest::take);
        await().untilAsserted(() -> {
            leasesEnd(service);
            assertThat(count(service, "outcome = 'delivered'")).isEqualTo(TARGETS * THINGS);
        });
        assertThat(count(service, "true")).isEqualTo(TARGETS * THINGS);
        assertThat(heard).hasSize(TARGETS * THINGS);
        heard.forEach((id, told) ->
                assertThat(told).as("what came as %s", id).isNotEmpty().containsOnly(told.getFirst()));
        assertThat(heard.values().stream().filter(told -> told.size() > 1))
                .as("what the killed one had sent")
                .isNotEmpty();
        service.stop();
    }

    private HttpServer receiver(Vertx vertx) {
        return vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> {
                    heard.computeIfAbsent(request.getHeader("X-Molecule-Delivery"), id -> new ArrayList<>())
                            .add(request.path() + " "
                                    + Json.stored(body.toString()).path("text").asText());
                    if (slow) {
                        request.connection()
                                .closeHandler(
                                        gone -> abandoned.add(request.path().substring(1)));
                        held.add(request);
                    } else {
                        take(request);
                    }
                }))
                .listen(0, "127.0.0.1")
                .await();
    }

    private static void take(HttpServerRequest request) {
        request.response().setStatusCode(204).end().otherwiseEmpty(); // the killed one is not there to read it
    }

    private static void target(EventsFixture service, HttpServer receiver, int nth) {
        var body = Json.object()
                .put("name", "target " + nth)
                .put("who", "Ann")
                .put("channel", "webhook")
                .put("url", "http://127.0.0.1:%d/%d".formatted(receiver.actualPort(), nth))
                .put("secret", "a-secret-of-some-length");
        assertThat(service.post("/notifications/targets", Json.text(body))).startsWith("201 ");
    }

    /** As they are a minute after their replica died. */
    private void leasesEnd(EventsFixture service) {
        for (String target = abandoned.poll(); target != null; target = abandoned.poll()) {
            service.pool
                    .preparedQuery("UPDATE notification_targets SET due_at = now() WHERE name = $1")
                    .execute(Tuple.of("target " + target))
                    .await();
        }
    }

    private static long count(EventsFixture service, String which) {
        return service.pool
                .query("SELECT count(*) FROM notifications WHERE " + which)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }
}
