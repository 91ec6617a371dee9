package ai.molecule.proxy.activity;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an earlier version had not shown or sent on yet is activity after the migration. */
@ExtendWith(VertxExtension.class)
class MovingWhatWaitedTest {

    private final UUID workspace = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private ServiceContext service;

    @BeforeEach
    void open(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "proxy").await();
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void delegations_that_were_behind_are_shown() throws IOException {
        run("""
            DROP TABLE delegations;
            %s;
            INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, run_by, status, result_status, result_text,
                deadline, projected)
            VALUES (gen_random_uuid(), gen_random_uuid(), 'done', '%s', '%s', 't', 'platform', 'completed', 'completed', '%s', now(), 0),
                (gen_random_uuid(), gen_random_uuid(), 'shown', '%s', NULL, 't', 'platform', 'pending', NULL, NULL, now(), 1)
            """.formatted(script("V001__delegations"), workspace, workspace, "x".repeat(81), workspace));

        run(script("V013__delegations_are_shown_as_they_change"));

        assertThat(rows())
                .containsExactlyInAnyOrder(
                        "delegate Delegating to %s completed {\"task\": \"t\", \"delegation_id\": \"done\"}"
                                .formatted(workspace),
                        "delegate_result Delegation completed (%s...) completed {\"text\": \"%s\", \"delegation_id\": \"done\"}"
                                .formatted("x".repeat(80), "x".repeat(81)));
    }

    @Test
    void rows_that_were_held_are_there() throws IOException {
        run(script("V003__held_rows"));
        String row = """
                {"id":"%s","workspaceId":"%s","activityType":"a2a_receive","sourceId":null,"method":"message/send","summary":"s",
                 "requestBody":"{\\"a\\":\\"\\\\u0041\\"}","durationMs":3,"status":"ok","createdAt":"2026-11-22T10:00:00.123Z","announce":true}
                """.formatted(UUID.randomUUID(), workspace);
        service.pool()
                .preparedQuery("INSERT INTO held_rows (id, owner, body) VALUES ($1, $1, $2)")
                .execute(Tuple.of(UUID.randomUUID(), row))
                .await();

        run(script("V014__held_rows_are_written"));

        assertThat(rows()).containsExactly("message/send s ok {\"a\": \"A\"}");
    }

    private List<String> rows() {
        return service
                .pool()
                .preparedQuery(
                        "SELECT concat_ws(' ', method, summary, status, coalesce(request_body, response_body)::text)"
                                + " FROM log.activity LEFT JOIN log.activity_bodies USING (id, day) WHERE workspace_id = $1 ORDER BY seq")
                .execute(Tuple.of(workspace))
                .await()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private void run(String sql) {
        service.pool().query(sql).execute().await();
    }

    private static String script(String migration) throws IOException {
        try (var script = MovingWhatWaitedTest.class.getResourceAsStream("/db/proxy/" + migration + ".sql")) {
            assertThat(script).isNotNull();
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
