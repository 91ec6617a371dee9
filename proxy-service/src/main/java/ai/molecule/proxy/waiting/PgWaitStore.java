package ai.molecule.proxy.waiting;

import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code waits} (db/proxy/V016__waiting.sql), and the clocks of delegations that depend on it. */
public final class PgWaitStore {

    /** A task that waits. */
    record Waiting(UUID workspaceId, String taskId) {}

    /**
     * Told with every question, also with a further one of the same task: the last one is what a person answers. Not when the same is only
     * seen again. Of several replicas that see it at once one tells it, because the others find what the first wrote.
     */
    private static final String ASKED = """
            WITH kept AS (
                INSERT INTO waits (workspace_id, task_id, cause, context_id, asked)
                SELECT $1, $2, 'input', $3, $5::text || ' ' || $6::text
                WHERE (SELECT count(*) FROM waits WHERE workspace_id = $1 AND cause = 'input') < $4
                    OR EXISTS (SELECT FROM waits WHERE workspace_id = $1 AND task_id = $2 AND cause = 'input')
                ON CONFLICT (workspace_id, task_id, cause) DO UPDATE
                SET context_id = coalesce(excluded.context_id, waits.context_id), asked = excluded.asked
                WHERE $7 OR waits.asked IS DISTINCT FROM excluded.asked
                    OR coalesce(excluded.context_id, waits.context_id) IS DISTINCT FROM waits.context_id
                RETURNING workspace_id, task_id, context_id
            )
            SELECT log.append('TASK_WAITING', workspace_id, jsonb_build_object(
                'task_id', task_id, 'context_id', context_id, 'asks_for', $5::text, 'question', $6::text)) FROM kept
            """;

    private static final String GOES_ON = """
            WITH gone AS (
                DELETE FROM waits WHERE workspace_id = $1 AND task_id = $2 AND cause = 'input' RETURNING workspace_id, task_id
            )
            SELECT log.append('TASK_WAIT_ENDED', workspace_id, jsonb_build_object('task_id', task_id)) FROM gone
            """;

    private static final String NAME = """
            UPDATE delegations SET task_id = $3
            WHERE target_id = $1 AND delegation_id = $2 AND task_id IS DISTINCT FROM $3 AND status NOT IN ('completed', 'failed')
            """;

    private static final String IN_CONTEXT = """
            SELECT task_id FROM waits WHERE workspace_id = $1 AND context_id = $2 AND cause = 'input' LIMIT 2
            """;

    private static final String AT = """
            SELECT DISTINCT workspace_id, task_id FROM waits WHERE workspace_id = ANY ($1::uuid[]) LIMIT $2
            """;

    /** What the registry said is pending, and only that: whatever was said before and ended meanwhile goes. */
    private static final String APPROVALS = """
            WITH pending AS (
                SELECT workspace_id, task_id, cause, least(since, now()) AS since
                FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS approval (workspace_id, task_id, cause, since)
            ), ended AS (
                DELETE FROM waits WHERE cause NOT IN ('input', 'money') AND cause NOT IN (SELECT cause FROM pending)
            )
            INSERT INTO waits (workspace_id, task_id, cause, since) SELECT * FROM pending ON CONFLICT DO NOTHING
            """;

    /**
     * Stops the clocks of open delegations whose task waits, and of those above: an open delegation to the source of one that stands
     * still, given earlier, in the same trace where both have one. A clock
     * stands from the beginning of the wait, also when that is told late. Lets the others go again, with as much time as they had. Safe when
     * several replicas do it at once, because a clock that another has stopped or started is not judged again. Carried out every other second
     * by each replica, so it goes by the index of open delegations to a target, whose words these are: {@code status NOT IN (...)}.
     */
    static final String CLOCKS = """
            WITH RECURSIVE still (id, source_id, created_at, trace, since) AS (
                SELECT d.id, d.source_id, d.created_at, split_part(d.traceparent, '-', 2), w.since
                FROM waits AS w JOIN delegations AS d ON d.target_id = w.workspace_id
                WHERE w.task_id IN (d.task_id, d.delegation_id) AND d.status NOT IN ('completed', 'failed')
                    AND d.run_by = 'platform'
                UNION
                SELECT above.id, above.source_id, above.created_at, split_part(above.traceparent, '-', 2), still.since
                FROM still JOIN delegations AS above ON above.target_id = still.source_id
                WHERE above.status NOT IN ('completed', 'failed') AND above.run_by = 'platform'
                    AND above.created_at <= still.created_at
                    AND coalesce(split_part(above.traceparent, '-', 2) = still.trace, true)
            ), stopped AS (
                UPDATE delegations AS d SET stopped_at = greatest(first.since, d.created_at)
                FROM (SELECT id, min(since) AS since FROM still GROUP BY id) AS first
                WHERE d.id = first.id AND stopped_at IS NULL AND status NOT IN ('completed', 'failed')
                    AND deadline > first.since
            )
            UPDATE delegations SET deadline = deadline + (now() - stopped_at), stopped_at = NULL, claim = claim + 1,
                due_at = CASE WHEN waits_for IS NULL THEN now() ELSE deadline + (now() - stopped_at) END
            WHERE stopped_at IS NOT NULL AND status NOT IN ('completed', 'failed') AND id NOT IN (SELECT id FROM still)
            """;

    /** Who was refused money, and did not ask again or was not refused again. */
    private static final String MONEY_CAME = "DELETE FROM waits WHERE until < now()";

    private static final String FORGET = """
            WITH gone AS (
                DELETE FROM waits WHERE (workspace_id, task_id, cause) IN (SELECT workspace_id, task_id, cause FROM waits
                    WHERE since < now() - $1::bigint * interval '1 ms' ORDER BY since LIMIT $2 FOR UPDATE SKIP LOCKED)
                RETURNING workspace_id, task_id, cause
            )
            SELECT log.append('TASK_WAIT_ENDED', workspace_id, jsonb_build_object('task_id', task_id)) FROM gone WHERE cause = 'input'
            """;

    private final Database database;

    public PgWaitStore(Database database) {
        this.database = database;
    }

    /**
     * At most {@code max} tasks of one agent wait for words; a further one is not kept.
     *
     * @param asksFor {@code input} or {@code auth}
     * @param question what it asks, shortened
     * @param further whether it followed somebody's words, so is another question though it may read the same
     */
    Future<Void> asked(
            UUID workspaceId,
            String taskId,
            @Nullable String contextId,
            int max,
            String asksFor,
            String question,
            boolean further) {
        return database.run(
                ASKED, Tuple.tuple(Arrays.asList(workspaceId, taskId, contextId, max, asksFor, question, further)));
    }

    Future<Boolean> goesOn(UUID workspaceId, String taskId) {
        return database.changes(GOES_ON, Tuple.of(workspaceId, taskId));
    }

    /** Which task a message became, where it was a delegation. */
    Future<Void> name(UUID workspaceId, String messageId, String taskId) {
        return database.run(NAME, Tuple.of(workspaceId, messageId, taskId));
    }

    Future<Optional<String>> waitingIn(UUID workspaceId, String contextId) {
        return database.query(IN_CONTEXT, Tuple.of(workspaceId, contextId.replace('\0', '\ufffd')))
                .map(rows ->
                        rows.size() == 1 ? Optional.of(rows.iterator().next().getString(0)) : Optional.empty());
    }

    Future<List<Waiting>> at(Collection<UUID> workspaces, int max) {
        return database.list(
                AT,
                Tuple.tuple().addArrayOfUUID(workspaces.toArray(UUID[]::new)).addInteger(max),
                row -> new Waiting(row.getUUID(0), row.getString(1)));
    }

    Future<Void> approvals(List<TaskApprovals.One> pending) {
        return database.run(
                APPROVALS,
                Tuple.tuple()
                        .addArrayOfUUID(pending.stream()
                                .map(TaskApprovals.One::workspaceId)
                                .toArray(UUID[]::new))
                        .addArrayOfString(
                                pending.stream().map(TaskApprovals.One::taskId).toArray(String[]::new))
                        .addArrayOfString(
                                pending.stream().map(one -> one.id().toString()).toArray(String[]::new))
                        .addArrayOfOffsetDateTime(pending.stream()
                                .map(one -> one.createdAt().atOffset(ZoneOffset.UTC))
                                .toArray(OffsetDateTime[]::new)));
    }

    /** How many go on. */
    Future<Integer> clocks() {
        return database.update(MONEY_CAME, Tuple.tuple()).compose(gone -> database.update(CLOCKS, Tuple.tuple()));
    }

    Future<Integer> forget(Duration age, int max) {
        return database.update(FORGET, Tuple.of(age.toMillis(), max));
    }
}
