package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Documents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What {@code /metrics} tells of events, calls to other services and the work in the background. */
@ExtendWith(VertxExtension.class)
class MeasuringTheServiceTest {

    private static final Path DASHBOARD = Documents.DASHBOARD;

    @Test
    void events_are_counted_by_type_and_their_way_is_timed(Vertx vertx) {
        var service = EventsFixture.start(vertx);

        service.record("WORKSPACE_OFFLINE", UUID.randomUUID());

        await().untilAsserted(() -> assertThat(metrics(service))
                .contains("molecule_events_published_total{type=\"WORKSPACE_OFFLINE\"} 1.0")
                .contains("molecule_events_lag_seconds_count 1"));
    }

    @Test
    void calls_to_other_services_are_timed_by_contract_and_outcome(Vertx vertx) {
        var service = EventsFixture.start(vertx);

        callAnotherService(service);

        assertThat(metrics(service))
                .containsPattern(
                        "molecule_bus_calls_seconds_count\\{contract=\"registry\\.[a-z-]+\",outcome=\"[a-z_]+\"} ");
    }

    @Test
    void each_work_in_the_background_says_whether_it_succeeds(Vertx vertx) {
        var service = EventsFixture.start(vertx);

        await().untilAsserted(() -> assertThat(metrics(service))
                .contains("molecule_reconciler_ok{name=\"sequencer\"} 1.0")
                .containsPattern("molecule_reconciler_success_age_seconds\\{name=\"history\"} \\d")
                .containsPattern("molecule_reconciler_success_age_seconds\\{name=\"activity-retention\"} \\d")
                .containsPattern("molecule_reconciler_success_age_seconds\\{name=\"agent-delivery\"} \\d")
                .containsPattern("molecule_reconciler_success_age_seconds\\{name=\"log-tail\"} \\d"));
    }

    /** The other services' figures are checked where they are made; here it is the spelling of this service's. */
    @Test
    void the_dashboard_asks_for_figures_that_there_are(Vertx vertx) throws Exception {
        var service = EventsFixture.start(vertx);
        service.record("WORKSPACE_ONLINE", UUID.randomUUID());
        callAnotherService(service);
        await().until(() -> metrics(service).contains("molecule_events_published_total"));
        String here = metrics(service);

        var asked = Pattern.compile("molecule_(events|reconciler|websocket|bus|http)_[a-z_]+")
                .matcher(Files.readString(DASHBOARD))
                .results()
                .map(match -> match.group().replaceFirst("_(bucket|sum|count|max)$", ""))
                .distinct()
                .toList();

        assertThat(asked)
                .hasSizeGreaterThan(5)
                .allSatisfy(name -> assertThat(here).contains(name));
    }

    private static void callAnotherService(EventsFixture service) {
        service.client
                .get("/workspaces/" + UUID.randomUUID() + "/activity")
                .putHeader("Authorization", "Bearer nobody-knows-it")
                .send()
                .await();
    }

    private static String metrics(EventsFixture service) {
        return service.client.get("/metrics").send().await().bodyAsString();
    }
}
