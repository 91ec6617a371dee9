package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Database;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A run that costs three times what runs of its kind cost is told once, with the numbers. */
@ExtendWith(VertxExtension.class)
class TellingUnusualCostsTest {

    private static final int ALL = 1_000;
    private static final String UNDER_WAY = "NULL";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @SuppressWarnings("NullAway.Init")
    private Database database;

    /** Without remembering anything; the proxy's own beside it remembers medians for a minute. */
    @SuppressWarnings("NullAway.Init")
    private PgUnusualCosts costs;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        database = new Database(vertx, door.proxy.databaseUrl(), "proxy", () -> {});
        costs = new PgUnusualCosts(database, Duration.ZERO);
    }

    @AfterEach
    void close() {
        database.close().await();
    }

    @Test
    void a_run_at_three_times_the_median_is_told_once_with_its_numbers() {
        earlier(11, "chat", 100_000);
        earlier(4, "chat", 5_000_000);
        var run = run("chat", UNDER_WAY, 299_999);
        tell();
        assertThat(told()).isEmpty();

        spend(run, 310_000);
        tell();
        tell();

        assertThat(told())
                .containsExactly(new JsonObject()
                        .put("id", run.toString())
                        .put("title", "Write it")
                        .put("asked_by", "chat")
                        .put("kind", "agent")
                        .put("spent", 0.31)
                        .put("median", 0.1)
                        .put("runs", 15));
    }

    @Test
    void a_run_that_is_over_before_anybody_looked_is_told_too_and_one_of_yesterday_is_not() {
        earlier(10, "chat", 100_000);
        run("chat", "now() - interval '1 day'", 900_000);
        var run = run("chat", "now()", 900_000);

        tell();

        assertThat(told()).extracting(one -> one.getString("id")).containsExactly(run.toString());
    }

    @Test
    void nine_earlier_runs_are_too_few_and_so_are_runs_that_cost_nothing_or_ended_long_ago() {
        earlier(9, "chat", 100_000);
        earlier(5, "chat", 0);
        for (int nth = 0; nth < 5; nth++) {
            run("chat", "now() - interval '31 days'", 100_000);
        }
        run("chat", UNDER_WAY, 900_000);

        tell();

        assertThat(told()).isEmpty();
    }

    @Test
    void what_costs_less_than_a_cent_is_not_told() {
        earlier(10, "chat", 1_000);
        run("chat", UNDER_WAY, 9_999);

        tell();

        assertThat(told()).isEmpty();
    }

    @Test
    void runs_of_a_schedule_of_a_webhook_and_of_people_are_kinds_of_their_own() {
        earlier(10, "chat", 10_000);
        earlier(10, "webhook:github", 100_000);
        var schedule = UUID.randomUUID();
        door.query("""
                INSERT INTO proxy.schedules (id, workspace_id, name, expression, timezone, prompt, enabled, missed, missed_window_seconds,
                    overlap, jitter_seconds, source, anchor, created_at, updated_at)
                VALUES ('%s', $1, 'Nightly', '@every 1h', 'UTC', 'Go', true, 'skip', 60, 'skip', 0, 'runtime', now(), now(), now())
                """.formatted(schedule));
        for (int nth = 0; nth < 10; nth++) {
            scheduled(schedule, "now() - interval '%d hours'".formatted(nth + 1), 1_000_000);
        }
        var hook = run("webhook:github", UNDER_WAY, 250_000);
        scheduled(schedule, UNDER_WAY, 2_500_000);
        run("webhook:other", UNDER_WAY, 2_500_000);

        tell();
        assertThat(told()).isEmpty();
        var person = run("admin-token", UNDER_WAY, 250_000);
        spend(hook, 300_000);
        var scheduled = scheduled(schedule, UNDER_WAY, 3_000_000);
        tell();

        assertThat(told())
                .extracting(one -> one.getString("id"), one -> one.getString("kind"))
                .containsExactlyInAnyOrder(
                        tuple(person.toString(), "agent"),
                        tuple(hook.toString(), "webhook:github"),
                        tuple(scheduled.toString(), "schedule:" + schedule));
    }

    @Test
    void the_last_hundred_runs_count_and_none_of_another_agent() {
        for (int nth = 0; nth < 60; nth++) {
            run("chat", "now() - interval '%d minutes'".formatted(nth + 10), 100_000);
            run("chat", "now() - interval '%d minutes'".formatted(nth + 200), 1_000_000);
            run(UUID.randomUUID(), "chat", "now() - interval '5 minutes'", 1_000_000);
        }
        var run = run("chat", UNDER_WAY, 400_000);

        tell();

        assertThat(told().getFirst())
                .isEqualTo(new JsonObject()
                        .put("id", run.toString())
                        .put("title", "Write it")
                        .put("asked_by", "chat")
                        .put("kind", "agent")
                        .put("spent", 0.4)
                        .put("median", 0.1)
                        .put("runs", 100));
    }

    @Test
    void the_proxy_tells_it_by_itself() {
        earlier(10, "chat", 100_000);
        run("chat", UNDER_WAY, 900_000);

        await().atMost(Duration.ofSeconds(90)).until(() -> !told().isEmpty());
    }

    private void tell() {
        costs.tell(ALL).await();
    }

    private void earlier(int count, String askedBy, long micros) {
        for (int nth = 0; nth < count; nth++) {
            run(askedBy, "now() - interval '%d minutes'".formatted(nth + 10), micros);
        }
    }

    private UUID run(String askedBy, String endedAt, long micros) {
        return run(door.workspace, askedBy, endedAt, micros);
    }

    /** Its message, and so the run, has the id that the schedule's row names. */
    private UUID scheduled(UUID schedule, String endedAt, long micros) {
        var id = UUID.randomUUID();
        door.query("""
                INSERT INTO proxy.schedule_runs (id, schedule_id, workspace_id, tick_at, status, queue_id, started_at, ended_at)
                VALUES ('%1$s', '%2$s', $1, clock_timestamp(), 'ok', '%1$s', now(), now())
                """.formatted(id, schedule));
        return run(id, door.workspace, "chat", endedAt, micros);
    }

    private UUID run(UUID workspace, String askedBy, String endedAt, long micros) {
        return run(UUID.randomUUID(), workspace, askedBy, endedAt, micros);
    }

    /** @param endedAt as SQL */
    private UUID run(UUID id, UUID workspace, String askedBy, String endedAt, long micros) {
        door.query("""
                INSERT INTO proxy.works (id, root_task, workspace_id, asked_by, title, brief, status, created_at, ended_at)
                SELECT '%1$s', '%1$s', '%2$s', '%3$s', 'Write it', '', CASE WHEN %4$s IS NULL THEN 'working' ELSE 'done' END,
                    now() - interval '1 hour', %4$s WHERE $1::uuid IS NOT NULL
                """.formatted(id, workspace, askedBy, endedAt));
        if (micros > 0) {
            spend(id, micros);
        }
        return id;
    }

    private void spend(UUID run, long micros) {
        door.query("""
                INSERT INTO proxy.model_team_budgets (team_id, kind, period, spent)
                SELECT '%s', 'work', '1970-01-01', %d WHERE $1::uuid IS NOT NULL
                ON CONFLICT (team_id, kind, period) DO UPDATE SET spent = excluded.spent
                """.formatted(run, micros));
    }

    private List<JsonObject> told() {
        return door
                .query(
                        "SELECT payload::text FROM log.events WHERE workspace_id = $1 AND event_type = 'RUN_COST_UNUSUAL' ORDER BY id")
                .stream()
                .map(row -> new JsonObject(row.getString(0)))
                .toList();
    }
}
