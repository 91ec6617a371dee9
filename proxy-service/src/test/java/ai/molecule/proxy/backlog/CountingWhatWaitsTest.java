package ai.molecule.proxy.backlog;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.testkit.Documents;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What {@code /metrics} tells of messages for busy agents and of delegations without an outcome. */
@ExtendWith(VertxExtension.class)
class CountingWhatWaitsTest {

    private static final Path DASHBOARD = Documents.DASHBOARD;

    @Test
    void what_waits_is_counted_whoever_took_it(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", "root");
        var other = proxy.replica();
        var busy = proxy.agent(request -> request.response().setStatusCode(429).end());
        var working = proxy.agent(request -> {});
        var source = UUID.randomUUID();
        proxy.platform.mayTalk(source, working);

        proxy.send(busy, HELLO);
        proxy.post(
                "/workspaces/" + source + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(working),
                "Authorization",
                "Bearer root");

        await().untilAsserted(() -> assertThat(metrics(other))
                .contains("molecule_queue_waiting 1.0")
                .containsPattern("molecule_queue_oldest_seconds [0-9.]+")
                .contains("molecule_delegations_open{status=\"pending\"} 0.0")
                .contains("molecule_delegations_open{status=\"dispatched\"} 1.0")
                .contains("molecule_delegations_open{status=\"queued\"} 0.0"));
    }

    @Test
    void nothing_is_said_while_the_database_does_not_answer(Vertx vertx) {
        var away = new AtomicBoolean();
        var store = new BacklogStore() {
            @Override
            public Future<Queue> queue() {
                return away.get()
                        ? Future.failedFuture("the database is away")
                        : Future.succeededFuture(new Queue(3, 1.5));
            }

            @Override
            public Future<Map<String, Long>> delegations() {
                return Future.succeededFuture(Map.of("pending", 0L, "dispatched", 0L, "queued", 0L));
            }
        };
        var meters = new SimpleMeterRegistry();
        var report = new Reconcilers(Clock.systemUTC()).add("backlog", "counts what waits");
        var backlog = new Backlog(vertx, store, report, meters);
        backlog.start();
        await().until(() -> meters.get("molecule.queue.waiting").gauge().value() == 3);

        away.set(true);

        await().until(() ->
                Double.isNaN(meters.get("molecule.queue.waiting").gauge().value()));
        assertThat(report.status().ok()).isFalse();
        backlog.stop();
    }

    @Test
    void the_dashboard_asks_for_figures_that_there_are(Vertx vertx) throws Exception {
        var proxy = ProxyUnderTest.start(vertx);

        String here = metrics(proxy);

        var asked = Pattern.compile("molecule_(queue|delegations|streams)_[a-z_]+")
                .matcher(Files.readString(DASHBOARD))
                .results()
                .map(match -> match.group())
                .distinct()
                .toList();
        assertThat(asked)
                .hasSizeGreaterThan(5)
                .allSatisfy(name -> assertThat(here).contains(name));
    }

    private static String metrics(ProxyUnderTest proxy) {
        return proxy.client.get("/metrics").send().await().bodyAsString();
    }
}
