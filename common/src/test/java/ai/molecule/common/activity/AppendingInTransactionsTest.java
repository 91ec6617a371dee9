package ai.molecule.common.activity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Activity that is appended in the transaction of what happened: it is there when that commits, and only then. */
@ExtendWith(VertxExtension.class)
class AppendingInTransactionsTest {

    private final UUID workspace = UUID.randomUUID();

    private ServiceContext service;
    private ActivityLog log;

    @BeforeEach
    void open(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "appending").await();
        log = new ActivityLog(new Bus(vertx), Clock.systemUTC());
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void a_row_is_there_when_its_transaction_commits_and_not_when_it_is_rolled_back() {
        var connection = service.pool().getConnection().await();
        var kept = connection.begin().await();
        log.append(connection, List.of(row("kept", null, null))).await();
        assertThat(summaries()).isEmpty();
        kept.commit().await();

        var dropped = connection.begin().await();
        log.append(connection, List.of(row("dropped", null, null))).await();
        dropped.rollback().await();
        connection.close().await();

        assertThat(summaries()).containsExactly("kept");
    }

    @Test
    void who_appends_to_the_same_workspace_waits_so_that_insertion_is_the_order_of_commit() {
        // Given
        var slow = service.pool().getConnection().await();
        var transaction = slow.begin().await();
        log.append(slow, List.of(row("first", null, null))).await();

        // When
        var second = log.append(service.pool(), List.of(row("second", null, null)));
        var elsewhere = log.append(service.pool(), List.of(of(UUID.randomUUID(), "elsewhere", null, null)));

        // Then
        elsewhere.await();
        assertThat(second.isComplete()).isFalse();
        transaction.commit().await();
        slow.close().await();
        second.await();
        assertThat(summaries()).containsExactly("first", "second");
    }

    @Test
    void of_two_with_one_key_the_first_to_commit_is_kept() {
        var both = Future.all(
                        log.append(service.pool(), List.of(row("one", null, "key"))),
                        log.append(service.pool(), List.of(row("two", null, "key"))))
                .await();

        assertThat(both.<java.util.Set<UUID>>list().stream()
                        .mapToInt(java.util.Set::size)
                        .sum())
                .isEqualTo(1);
        assertThat(summaries()).hasSize(1);
    }

    @Test
    void a_body_that_postgresql_cannot_hold_costs_its_row_that_body_and_no_other() {
        var rows = List.of(
                row("good", "{\"a\":1}", null),
                row("nul", "{\"a\":\"\\u0000\"}", null),
                row("too large", "1e999999", null),
                row("not json", "{", null),
                row("no\0body", null, null));

        assertThat(log.append(service.pool(), rows).await()).hasSize(5);

        assertThat(summaries()).containsExactly("good", "nul", "too large", "not json", "no\uFFFDbody");
        assertThat(bodies()).containsExactly("{\"a\": 1}");
    }

    @Test
    void a_row_may_be_part_of_a_work_and_its_status_goes_on() {
        var work = UUID.randomUUID();
        var begun = of(workspace, "begun", null, null, "pending", work);

        log.append(service.pool(), List.of(begun)).await();
        var done = new ActivityRow(
                begun.id(),
                workspace,
                begun.activityType(),
                null,
                null,
                null,
                "done",
                null,
                "\"the answer\"",
                null,
                null,
                "completed",
                null,
                null,
                work,
                begun.createdAt(),
                false);

        assertThat(log.upsert(service.pool(), List.of(done)).await()).isEmpty();
        assertThat(log.upsert(service.pool(), List.of(begun)).await()).isEmpty();
        assertThat(summaries()).containsExactly("done");
        assertThat(bodies()).containsExactly("\"the answer\"");
        assertThat(service.pool()
                        .preparedQuery("SELECT work_id FROM log.activity WHERE workspace_id = $1")
                        .execute(Tuple.of(workspace))
                        .await()
                        .iterator()
                        .next()
                        .getUUID(0))
                .isEqualTo(work);
    }

    @Test
    void a_message_to_a_workspace_whose_day_is_full_is_refused_and_what_came_with_it_too() {
        service.pool()
                .query("UPDATE log.activity_limits SET bytes_per_day = 1000")
                .execute()
                .await();
        log.append(service.pool(), List.of(row("full", "\"" + "x".repeat(600) + "\"", null)))
                .await();

        assertThatThrownBy(() -> log.append(
                                service.pool(), List.of(row("report", null, null), row("message", null, "key")))
                        .await())
                .isInstanceOfSatisfying(
                        ApiError.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ApiError.Kind.INSUFFICIENT_STORAGE));
        assertThat(summaries()).containsExactly("full");
    }

    @Test
    void of_two_states_told_at_the_same_time_the_later_one_stays() {
        var begun = of(workspace, "begun", null, null, "pending", null);
        var done = new ActivityRow(
                begun.id(),
                workspace,
                begun.activityType(),
                null,
                null,
                null,
                "done",
                null,
                null,
                null,
                null,
                "completed",
                null,
                null,
                null,
                begun.createdAt(),
                false);

        Future.all(log.upsert(service.pool(), List.of(done)), log.upsert(service.pool(), List.of(begun)))
                .await();

        assertThat(summaries()).containsExactly("done");
    }

    @Test
    void transactions_that_tell_two_workspaces_of_each_other_do_not_block_each_other() {
        var other = UUID.randomUUID();
        var here = of(workspace, "begun here", null, null, "pending", null);
        var there = of(other, "begun there", null, null, "pending", null);
        log.append(service.pool(), List.of(here, there)).await();

        var both = IntStream.range(0, 200)
                .mapToObj(i -> log.upsert(
                        service.pool(),
                        i % 2 == 0
                                ? List.of(here, of(other, "to the other", null, null))
                                : List.of(there, of(workspace, "to this", null, null))))
                .toList();

        Future.all(both).await();
        assertThat(summaries()).hasSize(101);
    }

    @Test
    void more_rows_than_a_call_may_have_are_refused_whole() {
        var rows = Collections.nCopies(ActivityLog.ROWS_MAX + 1, row("m", null, null));

        assertThatThrownBy(() -> log.append(service.pool(), rows).await())
                .isInstanceOf(ApiError.class)
                .hasMessageContaining("128");
        assertThat(summaries()).isEmpty();
    }

    private ActivityRow row(String summary, @Nullable String request, @Nullable String key) {
        return of(workspace, summary, request, key);
    }

    private static ActivityRow of(UUID workspace, String summary, @Nullable String request, @Nullable String key) {
        return of(workspace, summary, request, key, "ok", null);
    }

    private static ActivityRow of(
            UUID workspace,
            String summary,
            @Nullable String request,
            @Nullable String key,
            String status,
            @Nullable UUID work) {
        return new ActivityRow(
                UUID.randomUUID(),
                workspace,
                "a2a_receive",
                null,
                workspace,
                "message/send",
                summary,
                request,
                null,
                null,
                5,
                status,
                null,
                key,
                work,
                Instant.now(),
                false);
    }

    private List<String> summaries() {
        return texts("SELECT summary FROM log.activity WHERE workspace_id = $1 ORDER BY seq");
    }

    private List<String> bodies() {
        return texts(
                "SELECT coalesce(request_body, response_body)::text FROM log.activity JOIN log.activity_bodies USING (id, day)"
                        + " WHERE workspace_id = $1 AND coalesce(request_body, response_body) IS NOT NULL ORDER BY seq");
    }

    private List<String> texts(String sql) {
        return service.pool().preparedQuery(sql).execute(Tuple.of(workspace)).await().stream()
                .map(row -> row.getString(0))
                .toList();
    }
}
