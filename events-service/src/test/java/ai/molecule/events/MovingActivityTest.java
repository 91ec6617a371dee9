package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Activity of an installation from before it stood in the schema of the log. */
@ExtendWith(VertxExtension.class)
class MovingActivityTest {

    @Test
    void rows_and_bodies_move_and_new_ones_follow_them(Vertx vertx) throws Exception {
        // Given
        var service = EventsFixture.start(vertx);
        var workspace = service.organisation.add("agent", null);
        var peer = UUID.randomUUID();
        for (var earlier : List.of("V001__activity", "V002__activity_days", "V004__activity_bytes")) {
            run(service, earlier);
        }
        service.pool.query("""
                        SELECT add_activity_day((now() AT TIME ZONE 'UTC')::date);
                        SELECT setval('activity_seq', 5000);
                        INSERT INTO activity_logs (id, day, workspace_id, activity_type, source_id, summary, request_body, created_at)
                        SELECT gen_random_uuid(), (now() AT TIME ZONE 'UTC')::date, '%s', 'a2a_receive', '%s', 'old ' || n,
                            CASE WHEN n = 1 THEN '{"a":1}'::jsonb END, now() FROM generate_series(1, 2) AS n
                        """.formatted(workspace, peer)).execute().await();

        // When
        run(service, "V021__activity_in_the_log");

        // Then
        service.append(List.of(ActivityFixture.received(workspace, peer, "new")))
                .await();
        var rows = service.json("/workspaces/%s/activity?type=a2a_receive".formatted(workspace));
        assertThat(rows)
                .extracting(row ->
                        row.path("summary").asText() + row.path("request_body").path("a"))
                .containsExactly("old 11", "old 2", "new");
    }

    private static void run(EventsFixture service, String migration) throws IOException {
        try (var script = MovingActivityTest.class.getResourceAsStream("/db/events/" + migration + ".sql")) {
            assertThat(script).isNotNull();
            service.pool
                    .query(new String(script.readAllBytes(), StandardCharsets.UTF_8))
                    .execute()
                    .await();
        }
    }
}
