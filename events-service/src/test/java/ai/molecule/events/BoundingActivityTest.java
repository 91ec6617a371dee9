package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the activity of one workspace may take: bytes of a day, reports of a minute, places of those who wait. */
@ExtendWith(VertxExtension.class)
class BoundingActivityTest {

    private static final String FULL = "507 {\"error\":\"the workspace's activity of today takes up all that it may\"}";
    private static final String NOTE = "{\"activity_type\":\"agent_log\"}";

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    private void start(Vertx vertx, String... overrides) {
        service = EventsFixture.start(vertx, overrides);
        workspace = service.organisation.add("agent", null);
    }

    @Test
    void once_a_day_is_used_up_a_workspaces_rows_are_kept_without_bodies_and_anothers_whole(Vertx vertx) {
        // Given
        start(vertx, "ACTIVITY_MIB_PER_DAY", "1");
        var other = service.organisation.add("other", null);

        // When
        append(received(workspace, "first", 600_000, null), received(workspace, "second", 600_000, null));
        append(received(workspace, "third", 600_000, null), received(other, "another's", 600_000, null));

        // Then
        assertThat(rows(workspace))
                .extracting(row -> row.path("summary").asText() + " " + row.has("request_body"))
                .containsExactlyInAnyOrder("first true", "second true", "third false");
        assertThat(rows(other)).allMatch(row -> row.has("request_body"));
    }

    @Test
    void then_it_may_not_report_and_a_message_that_it_would_fetch_is_refused(Vertx vertx) {
        // Given
        start(vertx, "ACTIVITY_MIB_PER_DAY", "1");
        append(received(workspace, "fits", 1_048_000, null), received(workspace, "small", 400, null));

        // Then
        assertThat(report(NOTE)).isEqualTo(FULL);
        assertThat(service.post("/workspaces/%s/notify".formatted(workspace), "{\"message\":\"m\"}"))
                .isEqualTo(FULL);
        assertThatThrownBy(() -> append(received(workspace, "message", 10, "key")))
                .isInstanceOfSatisfying(
                        ApiError.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ApiError.Kind.INSUFFICIENT_STORAGE));
        assertThat(rows(workspace)).hasSize(2);
    }

    @Test
    void an_answer_that_comes_to_a_row_later_counts_too(Vertx vertx) {
        // Given
        start(vertx, "ACTIVITY_MIB_PER_DAY", "1");
        for (int i = 0; i < 3; i++) {
            var delegation = received(workspace, "delegation " + i, 10, null);
            upsert(withStatus(delegation, "pending", null));

            // When
            upsert(withStatus(delegation, "completed", "\"" + "x".repeat(600_000) + "\""));
        }

        // Then
        assertThat(rows(workspace))
                .extracting(row -> row.path("status").asText() + " " + row.has("response_body"))
                .containsExactlyInAnyOrder("completed true", "completed true", "completed false");
        assertThat(report(NOTE)).isEqualTo(FULL);
    }

    @Test
    void it_reports_so_often_a_minute_whatever_tokens_it_has(Vertx vertx) {
        service = EventsFixture.production(vertx, "ACTIVITY_REPORTS_PER_MINUTE", "2");
        workspace = service.organisation.add("agent", null);
        var other = service.organisation.add("other", null);

        var answers = IntStream.range(0, 6)
                .mapToObj(n -> service.post(
                        "/workspaces/%s/activity".formatted(workspace),
                        NOTE,
                        "Authorization",
                        "Bearer " + service.organisation.tokenFor(workspace)))
                .toList();

        // a minute may end in between
        assertThat(answers).filteredOn(answer -> answer.startsWith("429 ")).hasSizeBetween(2, 4);
        assertThat(service.post(
                        "/workspaces/%s/activity".formatted(other),
                        NOTE,
                        "Authorization",
                        "Bearer " + service.organisation.tokenFor(other)))
                .startsWith("200 ");
    }

    @Test
    void so_many_wait_for_one_workspace_and_one_more_is_answered_at_once(Vertx vertx) {
        // Given
        start(vertx);
        var other = service.organisation.add("other", null);
        var all = IntStream.range(0, 33).mapToObj(n -> waitFor(workspace)).toList();

        // When
        Future.any(all).await();
        var elsewhere = waitFor(other);
        append(received(other, "hello", 10, null));

        // Then
        assertThat(elsewhere.await().bodyAsString()).contains("hello");
        assertThat(all).filteredOn(Future::isComplete).hasSize(1);
        append(received(workspace, "for all", 10, null));
        assertThat(Future.all(all).await().<HttpResponse<Buffer>>list())
                .filteredOn(answer -> answer.bodyAsString().contains("for all"))
                .hasSize(32);
    }

    private Future<HttpResponse<Buffer>> waitFor(UUID id) {
        return service.client
                .get("/workspaces/%s/activity?wait=20".formatted(id))
                .send();
    }

    private String report(String body) {
        return service.post("/workspaces/%s/activity".formatted(workspace), body);
    }

    private JsonNode rows(UUID id) {
        return service.json("/workspaces/%s/activity".formatted(id));
    }

    private void append(ActivityRow... rows) {
        service.append(List.of(rows)).await();
    }

    private void upsert(ActivityRow row) {
        service.upsert(List.of(row)).await();
    }

    private static ActivityRow received(UUID id, String summary, int bytes, @Nullable String key) {
        String body = "\"" + "x".repeat(bytes) + "\"";
        return row(UUID.randomUUID(), id, null, "message/send", summary, body, key, Instant.now());
    }

    private static ActivityRow withStatus(ActivityRow row, String status, @Nullable String responseBody) {
        return new ActivityRow(
                row.id(),
                row.workspaceId(),
                "delegation",
                row.sourceId(),
                row.targetId(),
                row.method(),
                row.summary(),
                null,
                responseBody,
                null,
                null,
                status,
                null,
                null,
                null,
                row.createdAt(),
                false);
    }
}
