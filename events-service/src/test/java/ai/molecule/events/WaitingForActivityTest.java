package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.received;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.activity.ActivityRow;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /workspaces/:id/activity?wait=…}: held open until something arrives. */
@ExtendWith(VertxExtension.class)
class WaitingForActivityTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @SuppressWarnings("NullAway.Init")
    private UUID peer;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        workspace = service.organisation.add("agent", null);
        peer = service.organisation.add("writer", null);
    }

    @Test
    void a_wait_ends_with_the_first_row_that_arrives() {
        var answer = ask("?type=a2a_receive&wait=25");

        append(received(workspace, peer, "hello"));

        assertThat(answer.await()).startsWith("200 ").contains("hello");
    }

    @Test
    void a_service_that_stops_ends_it() {
        var answer = ask("?type=a2a_receive&wait=25");
        assertThat(ask("?type=a2a_receive&wait=1").await()).isEqualTo("200 []"); // the other one waits by now

        service.stop();

        assertThat(answer.await()).isEqualTo("200 []");
    }

    @Test
    void rows_of_others_do_not_end_it() {
        var other = service.organisation.add("other", null);
        var answer = ask("?type=a2a_receive&wait=1");

        append(received(other, peer, "not for you"));

        assertThat(answer.await()).isEqualTo("200 []");
    }

    @Test
    void a_wait_behind_a_cursor_ends_with_what_follows_it() {
        var first = received(workspace, peer, "first");
        append(first);
        var answer = ask("?type=a2a_receive&wait=25&since_id=" + first.id());

        append(received(workspace, peer, "second"));

        assertThat(answer.await()).contains("second").doesNotContain("first");
    }

    @Test
    void rows_stored_through_another_replica_end_it() {
        var replica = service.replica();
        var answer = replica.client
                .get("/workspaces/%s/activity?type=a2a_receive&wait=25".formatted(workspace))
                .send();

        service.post(
                "/workspaces/%s/activity".formatted(workspace),
                "{\"activity_type\":\"a2a_receive\",\"summary\":\"from afar\"}");

        assertThat(answer.await().bodyAsString()).contains("from afar");
    }

    @Test
    void a_row_whose_hint_was_lost_is_found_by_reading_again() {
        var answer = ask("?wait=25");

        service.pool
                .query("""
                        INSERT INTO log.activity (id, day, workspace_id, activity_type, created_at)
                        VALUES ('%s', (now() AT TIME ZONE 'UTC')::date, '%s', 'error', now())
                        """.formatted(UUID.randomUUID(), workspace))
                .execute()
                .await();

        assertThat(answer.await()).contains("\"activity_type\":\"error\"");
    }

    @Test
    void what_is_there_already_is_not_waited_for() {
        append(received(workspace, peer, "there"));

        assertThat(ask("?wait=25").await()).contains("there");
    }

    @Test
    void a_wait_that_is_no_number_is_refused() {
        for (var bad : List.of("soon", "-1", "1.5")) {
            assertThat(service.get("/workspaces/%s/activity?wait=%s".formatted(workspace, bad)))
                    .isEqualTo("400 {\"error\":\"wait must be a whole number of seconds\"}");
        }
    }

    @Test
    void an_unknown_cursor_is_answered_at_once() {
        assertThat(ask("?wait=25&since_id=" + UUID.randomUUID()).await()).startsWith("410 ");
    }

    private Future<String> ask(String query) {
        return service.client
                .get("/workspaces/%s/activity%s".formatted(workspace, query))
                .send()
                .map(response -> response.statusCode() + " " + response.bodyAsString());
    }

    private void append(ActivityRow row) {
        service.append(List.of(row)).await();
    }
}
