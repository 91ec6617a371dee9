package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a canvas sees on {@code /ws}. */
@ExtendWith(VertxExtension.class)
class WatchingEventsTest {

    private static final UUID WORKSPACE = UUID.fromString("11111111-2222-3333-4444-555555555555");

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void a_recorded_event_arrives_in_the_envelope_with_its_position() {
        var canvas = service.canvas("");

        service.record("WORKSPACE_ONLINE", WORKSPACE);

        await().until(() -> canvas.heard.size() == 1);
        assertThat(canvas.heard.getFirst())
                .matches("\\{\"event\":\"WORKSPACE_ONLINE\",\"workspace_id\":\"11111111-2222-3333-4444-555555555555\","
                        + "\"timestamp\":\"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z\","
                        + "\"payload\":\\{\"n\":\"WORKSPACE_ONLINE\"},\"seq\":1}");
    }

    @Test
    void a_decided_approval_says_what_waiting_agents_look_for_beside_its_payload_too_live_and_replayed() {
        var decided = Json.object()
                .put("approval_id", "a-1")
                .put("status", "approved")
                .put("decided_by", "ann")
                .put("more", 1);
        var live = service.canvas("");

        service.log.append(service.pool, "APPROVAL_DECIDED", WORKSPACE, decided).await();
        service.log.committed();
        await().until(() -> live.heard.size() == 1);
        var late = service.canvas("?since=0");

        await().until(() -> late.heard.size() == 1);
        assertThat(late.heard).isEqualTo(live.heard);
        assertThat(live.events().getFirst().path("payload")).isEqualTo(decided);
        assertThat(live.heard.getFirst())
                .endsWith(",\"approval_id\":\"a-1\",\"status\":\"approved\",\"decided_by\":\"ann\",\"seq\":1}");
    }

    @Test
    void an_ephemeral_event_carries_no_position_and_is_not_recorded() {
        var canvas = service.canvas("");

        service.live("TASK_UPDATED", WORKSPACE);

        await().until(() -> canvas.heard.size() == 1);
        assertThat(canvas.events().getFirst().has("seq")).isFalse();
        assertThat(service.get("/events")).isEqualTo("200 []");
    }

    @Test
    void several_that_were_told_together_arrive_in_their_order() {
        var canvas = service.canvas("");

        new LiveEvent("TASK_STARTED", WORKSPACE, Instant.EPOCH, Json.object()).publishOn(service.bus);
        new LiveEvent("TASK_ENDED", WORKSPACE, Instant.EPOCH, Json.object()).publishOn(service.bus);

        await().until(() -> canvas.heard.size() == 2);
        assertThat(canvas.events())
                .extracting(event -> event.path("event").asText())
                .containsExactly("TASK_STARTED", "TASK_ENDED");
    }

    @Test
    void events_of_no_workspace_have_an_empty_id() {
        var canvas = service.canvas("");

        service.record("SOMETHING", null);

        await().until(() -> canvas.heard.size() == 1);
        assertThat(canvas.heard.getFirst()).contains("\"workspace_id\":\"\"");
    }

    @Test
    void events_arrive_in_the_order_of_their_positions_whoever_wrote_them() throws Exception {
        var canvas = service.canvas("");

        writeConcurrently(8, 25);

        await().until(() -> canvas.heard.size() == 200);
        assertThat(canvas.recorded()).isEqualTo(service.recorded());
    }

    @Test
    void an_event_committed_late_is_shown_when_it_commits() {
        // Given
        var canvas = service.canvas("");
        var slow = service.pool.getConnection().await();
        var transaction = slow.begin().await();
        service.log.append(slow, "SLOW", WORKSPACE, Json.object()).await();
        service.record("QUICK", WORKSPACE);
        await().until(() -> canvas.types().equals(List.of("QUICK")));

        // When
        transaction.commit().await();

        // Then
        await().until(() -> canvas.types().equals(List.of("QUICK", "SLOW")));
        assertThat(canvas.recorded()).containsExactly("1 QUICK", "2 SLOW");
    }

    @Test
    void a_client_that_names_its_position_gets_what_it_missed_and_then_what_happens() {
        // Given
        service.record("ONE", WORKSPACE);
        service.record("TWO", WORKSPACE);
        service.record("THREE", WORKSPACE);
        service.awaitRecorded(3);

        // When
        var canvas = service.canvas("?since=1");
        service.record("FOUR", WORKSPACE);

        // Then
        await().untilAsserted(() -> assertThat(canvas.recorded()).containsExactly("2 TWO", "3 THREE", "4 FOUR"));
    }

    @Test
    void clients_that_join_while_others_write_see_no_hole_and_no_repeat(Vertx vertx) throws Exception {
        // Given
        writeConcurrently(4, 125); // several pages to replay
        service.awaitRecorded(500);
        var replica = service.replica();
        var writers = Executors.newVirtualThreadPerTaskExecutor();
        List<Future<?>> writing = new ArrayList<>();
        for (int writer = 0; writer < 8; writer++) {
            String name = "W" + writer;
            writing.add(writers.submit(() -> {
                for (int i = 0; i < 60; i++) {
                    service.record(name, WORKSPACE);
                }
            }));
        }

        // When
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            peers.add((i % 2 == 0 ? service : replica).canvas("?since=" + i * 40));
        }
        for (var writer : writing) {
            writer.get();
        }

        // Then
        await().until(() -> service.recorded().size() == 980);
        var table = service.recorded();
        for (int i = 0; i < peers.size(); i++) {
            var peer = peers.get(i);
            var expected = table.subList(i * 40, table.size());
            await().until(() -> peer.heard.size() >= expected.size());
            assertThat(peer.recorded()).isEqualTo(expected);
        }
    }

    @Test
    void every_replica_shows_the_same_order() throws Exception {
        // Given
        var replica = service.replica();
        var here = service.canvas("");
        var there = replica.canvas("");

        // When
        writeConcurrently(6, 30);

        // Then
        await().until(() -> here.heard.size() == 180 && there.heard.size() == 180);
        assertThat(there.heard).isEqualTo(here.heard);
        assertThat(here.recorded()).isEqualTo(service.recorded());
    }

    @Test
    void a_replica_that_stops_leaves_its_clients_to_another() {
        // Given
        var replica = service.replica();
        var canvas = service.canvas("");
        service.record("BEFORE", WORKSPACE);
        await().until(() -> canvas.heard.size() == 1);

        // When
        service.stop();
        service.record("BETWEEN", WORKSPACE);
        replica.awaitRecorded(2);

        // Then
        assertThat(canvas.closed.join()).startsWith("1001 ");
        var again = replica.canvas("?since=1");
        await().until(() -> again.recorded().equals(List.of("2 BETWEEN")));
    }

    @Test
    void a_position_that_is_no_number_or_past_the_end_is_refused() {
        service.record("ONE", WORKSPACE);
        service.awaitRecorded(1);

        assertThat(upgrade("/ws?since=x")).isEqualTo("400 {\"error\":\"since must be a whole number, at least 0\"}");
        assertThat(upgrade("/ws?since=-1")).startsWith("400 ");
        assertThat(upgrade("/ws?since=99")).isEqualTo("400 {\"error\":\"since is past the end of the event log\"}");
    }

    @Test
    void without_an_upgrade_the_answer_is_an_ordinary_error() {
        assertThat(service.get("/ws")).isEqualTo("400 {\"error\":\"websocket upgrade required\"}");
    }

    private String upgrade(String path) {
        return service.get(
                path,
                "Upgrade",
                "websocket",
                "Connection",
                "Upgrade",
                "Sec-WebSocket-Version",
                "13",
                "Sec-WebSocket-Key",
                "dGhlIHNhbXBsZSBub25jZQ==");
    }

    private void writeConcurrently(int writers, int each) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int writer = 0; writer < writers; writer++) {
                String name = "W" + writer;
                threads.submit(() -> {
                    for (int i = 0; i < each; i++) {
                        service.record(name, WORKSPACE);
                    }
                });
            }
        }
    }
}
