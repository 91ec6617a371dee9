package ai.molecule.proxy.liveness;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.json.Json;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /admin/liveness}: every reconciler that can be asked, and who could not be. */
@ExtendWith(VertxExtension.class)
class ShowingLivenessTest {

    private static final Instant RAN = Instant.parse("2026-01-01T00:00:00.123Z");

    @Test
    void the_services_are_merged_and_one_that_does_not_answer_is_shown_as_such(Vertx vertx) throws IOException {
        var proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", "root");
        var registry = new Reconcilers(Clock.fixed(RAN, ZoneOffset.UTC));
        registry.add("sweep", "takes the silent offline").done("took 2 offline");
        registry.add("idle", "waits");
        var failing = registry.add("failing", "fails");
        failing.done("did it");
        failing.failed(new IOException("no route"));
        proxy.platform
                .bus
                .serve(ReconcilerStatus.of("registry"), asked -> Future.succeededFuture(registry.status()))
                .await();

        var page = show(proxy, "root");

        assertThat(page.path("services").toString())
                .isEqualTo(
                        ("{\"registry\":{\"answered\":true,\"replica\":\"%s\"},\"proxy\":{\"answered\":true,\"replica\":\"%s\"},"
                                        + "\"events\":{\"answered\":false},\"provisioner\":{\"answered\":false}}")
                                .formatted(
                                        registry.status().replica(),
                                        registry.status().replica())); // of this process, both
        var sweep = page.at("/subsystems/registry.sweep");
        assertThat(sweep.path("seconds_ago").isIntegralNumber()).isTrue();
        assertThat(sweep.path("last_tick_at").asText()).isEqualTo("2026-01-01T00:00:00.123Z");
        assertThat(sweep.path("did").asText()).isEqualTo("took 2 offline");
        assertThat(sweep.path("says").asText()).isEqualTo("takes the silent offline");
        assertThat(page.at("/subsystems/registry.idle/last_tick_at").isNull()).isTrue();
        assertThat(page.at("/subsystems/registry.failing").toString())
                .contains("\"did\":\"did it\",\"ok\":false,\"says\":\"the last run failed: no route\"");
        assertThat(registry.status().replica())
                .endsWith("/" + ProcessHandle.current().pid());
    }

    @Test
    void what_stands_open_in_a_service_is_named_there(Vertx vertx) throws IOException {
        var proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", "root");
        var registry = new Reconcilers(Clock.fixed(RAN, ZoneOffset.UTC));
        proxy.platform
                .bus
                .serve(
                        ReconcilerStatus.of("registry"),
                        asked -> Future.succeededFuture(registry.status(List.of("MOLECULE_OPEN_HOSTS"))))
                .await();

        var services = show(proxy, "root").path("services");

        assertThat(services.at("/registry/open_doors").toString()).isEqualTo("[\"MOLECULE_OPEN_HOSTS\"]");
        assertThat(services.path("proxy").has("open_doors")).isFalse();
    }

    @Test
    void the_proxys_own_background_work_is_all_there_and_says_how_it_goes(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", "root");

        await().untilAsserted(() -> {
            var subsystems = show(proxy, "root").path("subsystems");
            for (String name : List.of("delegations", "queue", "streams")) {
                var one = subsystems.path("proxy." + name);
                assertThat(one.path("ok").asBoolean()).as(name).isTrue();
                assertThat(one.path("last_success_at").isTextual()).as(name).isTrue();
            }
            for (String rarer : List.of("activity-rows", "delegation-pruning", "queue-pruning", "stream-pruning")) {
                assertThat(subsystems.path("proxy." + rarer).isObject())
                        .as(rarer)
                        .isTrue();
            }
        });
    }

    @Test
    void only_administrators_see_it(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", "root");

        assertThat(seen(proxy.client.get("/admin/liveness").send().await()))
                .isEqualTo("401 {\"error\":\"admin auth required\"}");
    }

    private static JsonNode show(ProxyUnderTest proxy, String bearer) throws IOException {
        var answer = proxy.client
                .get("/admin/liveness")
                .bearerTokenAuthentication(bearer)
                .send()
                .await();
        assertThat(answer.statusCode()).isEqualTo(200);
        return Json.parse(answer.body().getBytes());
    }
}
