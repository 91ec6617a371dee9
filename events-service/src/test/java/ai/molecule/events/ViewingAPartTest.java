package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A canvas that says on its socket what it looks at. */
@ExtendWith(VertxExtension.class)
class ViewingAPartTest {

    private static final UUID SEEN = UUID.fromString("11111111-1111-4111-8111-111111111111");
    private static final UUID FAR = UUID.fromString("22222222-2222-4222-8222-222222222222");

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void of_what_is_in_view_every_event_comes_as_it_is_and_of_all_others_what_became_of_them() {
        // Given
        var canvas = looking(SEEN);

        // When
        task(SEEN, "first");
        task(SEEN, "second");
        task(FAR, "first");
        task(FAR, "second");
        told("TASK_STARTED", FAR, Json.object().put("caller_id", "").put("target_id", FAR.toString()));
        told(
                "TASK_STARTED",
                FAR,
                Json.object().put("caller_id", SEEN.toString()).put("target_id", FAR.toString()));

        // Then
        await().until(() -> count(canvas, "VIEW_DIGEST") == 1);
        assertThat(canvas.types()).containsExactly("VIEW", "TASK_UPDATED", "TASK_UPDATED", "VIEW_DIGEST");
        var digest = canvas.events().getLast();
        assertThat(digest.path("workspace_id").asText()).isEmpty();
        assertThat(digest.path("payload").path("events").asInt()).isEqualTo(6);
        assertThat(digest.path("payload").path("tasks").asInt()).isEqualTo(2);
        assertThat(rowOf(digest, FAR))
                .isEqualTo(Json.object()
                        .put("id", FAR.toString())
                        .put("current_task", "second")
                        .put("active_tasks", 1));
        assertThat(digest.path("payload").path("pairs")).hasToString("[[\"%s\",\"%s\",1]]".formatted(SEEN, FAR));
    }

    @Test
    void who_is_there_and_what_waits_for_a_person_is_told_of_everybody_as_it_is() {
        var canvas = looking(SEEN);

        for (String type : List.of("WORKSPACE_PROVISIONING", "WORKSPACE_MOVED", "APPROVAL_REQUESTED", "LATER_KIND")) {
            service.record(type, FAR);
        }

        await().until(() -> canvas.recorded().size() == 4);
        assertThat(canvas.recorded())
                .containsExactly(
                        "1 WORKSPACE_PROVISIONING", "2 WORKSPACE_MOVED", "3 APPROVAL_REQUESTED", "4 LATER_KIND");
    }

    @Test
    void a_digest_says_up_to_which_position_all_is_told_and_the_stream_goes_on_from_there() {
        // Given
        var canvas = looking(SEEN);
        var offline = Json.object().put("name", "Far").put("status", "offline");
        service.log.append(service.pool, "WORKSPACE_OFFLINE", FAR, offline).await();
        service.log.committed();
        await().until(() -> count(canvas, "VIEW_DIGEST") == 1);
        var digest = canvas.events().getLast();
        assertThat(rowOf(digest, FAR).path("status").asText()).isEqualTo("offline");
        assertThat(canvas.recorded()).isEmpty();

        // When
        service.record("WORKSPACE_ONLINE", FAR);
        service.awaitRecorded(2);
        var again =
                service.canvas("?since=" + digest.path("payload").path("seq").asLong());

        // Then
        await().until(() -> again.heard.size() == 1);
        assertThat(again.recorded()).containsExactly("2 WORKSPACE_ONLINE");
    }

    @Test
    void what_was_missed_is_replayed_whole_whatever_is_looked_at() {
        for (int i = 0; i < 300; i++) {
            service.log
                    .append(service.pool, "WORKSPACE_ONLINE", FAR, Json.object())
                    .await();
        }
        service.log.committed();
        service.awaitRecorded(300);

        var canvas = service.canvas("?since=0");
        canvas.socket.writeTextMessage("{\"view\":{\"workspaces\":[],\"every\":100}}");

        await().until(() -> canvas.recorded().size() == 300);
        service.record("WORKSPACE_OFFLINE", FAR);
        await().until(() -> count(canvas, "VIEW_DIGEST") >= 1);
        assertThat(canvas.recorded()).hasSize(300).isEqualTo(service.recorded().subList(0, 300));
        assertThat(canvas.events().getLast().path("payload").path("seq").asInt())
                .isEqualTo(301);
    }

    @Test
    void who_looks_at_nothing_in_particular_again_first_hears_what_waited_and_then_everything() {
        // Given
        var canvas = looking(10_000, SEEN);
        task(FAR, "quiet");

        // When: once the hub has it, which it takes after the event before it
        task(SEEN, "heard");
        await().until(() -> count(canvas, "TASK_UPDATED") == 1);
        canvas.socket.writeTextMessage("{\"view\":null}");
        await().until(() -> count(canvas, "VIEW") == 2);
        task(FAR, "loud");

        // Then
        await().until(() -> canvas.heard.size() == 5);
        assertThat(canvas.types()).containsExactly("VIEW", "TASK_UPDATED", "VIEW_DIGEST", "VIEW", "TASK_UPDATED");
        assertThat(rowOf(canvas.events().get(2), FAR).path("current_task").asText())
                .isEqualTo("quiet");
    }

    @Test
    void a_view_that_cannot_be_had_is_refused_in_words_and_the_last_one_stays() {
        // Given
        var canvas = looking(SEEN);
        String ids = IntStream.range(0, 1_001)
                .mapToObj(i -> "\"%s\"".formatted(new UUID(0x4000, i)))
                .collect(Collectors.joining(","));

        // When
        for (String asked : List.of(
                "{\"view\":{\"workspaces\":[" + ids + "]}}",
                "{\"view\":{\"workspaces\":[\"me\"]}}",
                "{\"view\":{\"workspaces\":[],\"every\":1}}",
                "{\"view\":7}",
                "{\"view\"",
                "{\"other\":1}",
                "hello")) {
            canvas.socket.writeTextMessage(asked);
        }
        task(FAR, "seen by nobody");

        // Then
        await().until(() -> count(canvas, "VIEW_DIGEST") == 1);
        assertThat(canvas.events().stream()
                        .map(event -> event.path("payload").path("error").asText())
                        .filter(error -> !error.isEmpty()))
                .containsExactly(
                        "workspaces must be at most 1000 ids",
                        "invalid workspace ID",
                        "every must be milliseconds from 100 to 10000",
                        "workspaces must be at most 1000 ids",
                        "invalid JSON");
        assertThat(count(canvas, "TASK_UPDATED")).isZero();
    }

    @Test
    void so_many_views_in_a_second_that_nobody_means_them_are_refused() {
        var canvas = service.canvas("");

        for (int i = 0; i < 40; i++) {
            canvas.socket.writeTextMessage("{\"view\":{\"workspaces\":[]}}");
        }

        await().until(() -> canvas.heard.size() == 40);
        assertThat(canvas.heard).anyMatch(heard -> heard.contains("too many views, at most 20 a second"));
    }

    @Test
    void what_an_agent_says_is_dropped_and_it_hears_no_digest() {
        // Given
        var agent = service.agent(FAR, null, "");
        var canvas = looking(SEEN);
        agent.socket.writeTextMessage("{\"view\":{\"workspaces\":[],\"every\":100}}");

        // When
        task(FAR, "mine");

        // Then
        await().until(() -> agent.heard.size() == 1 && count(canvas, "VIEW_DIGEST") == 1);
        assertThat(agent.types()).containsExactly("TASK_UPDATED");
    }

    private Peer looking(UUID at) {
        return looking(100, at);
    }

    private Peer looking(int everyMillis, UUID at) {
        var canvas = service.canvas("");
        canvas.socket.writeTextMessage("{\"view\":{\"workspaces\":[\"%s\"],\"every\":%d}}".formatted(at, everyMillis));
        await().until(() -> canvas.types().equals(List.of("VIEW")));
        return canvas;
    }

    private void task(UUID of, String words) {
        told("TASK_UPDATED", of, Json.object().put("current_task", words).put("active_tasks", 1));
    }

    private void told(String type, UUID of, ObjectNode payload) {
        new LiveEvent(type, of, Instant.now(), payload).publishOn(service.bus);
    }

    private static long count(Peer canvas, String type) {
        return canvas.types().stream().filter(type::equals).count();
    }

    private static JsonNode rowOf(JsonNode digest, UUID workspace) {
        for (var row : digest.path("payload").path("workspaces")) {
            if (row.path("id").asText().equals(workspace.toString())) {
                return row;
            }
        }
        throw new AssertionError("nothing of " + workspace + " in " + digest);
    }
}
