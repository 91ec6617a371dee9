package ai.molecule.proxy.tasks;

import ai.molecule.common.bus.proxy.AtWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** What agents are at, of all that the proxy writes down. */
public final class PgAtWork {

    /**
     * The first reason that is found. What others wait for of it counts like what it waits for of others: either may be in the memory of its
     * process alone. A question that it put to a person is on record, and its answer is a message like any other.
     */
    private static final String AT_WORK = """
            SELECT asked.id,
                CASE WHEN EXISTS (SELECT FROM tasks AS t WHERE t.workspace_id = asked.id AND t.ended_at IS NULL
                         AND t.status <> 'waiting') THEN 'a message is at it'
                     WHEN EXISTS (SELECT FROM streams AS s WHERE s.workspace_id = asked.id AND s.ended_at IS NULL) THEN 'a stream of it is open'
                     WHEN EXISTS (SELECT FROM tasks AS t WHERE t.caller_id = asked.id AND t.ended_at IS NULL) THEN 'it waits for another agent'
                     WHEN EXISTS (SELECT FROM delegations AS d WHERE d.status IN ('dispatched', 'queued')
                         AND (d.source_id = asked.id OR d.target_id = asked.id)) THEN 'a delegation of it is open'
                     WHEN EXISTS (SELECT FROM a2a_queue AS q WHERE q.target_id = asked.id AND q.status IN ('queued', 'dispatched'))
                         THEN 'a message waits for it'
                     WHEN EXISTS (SELECT FROM waits AS w WHERE w.workspace_id = asked.id AND w.cause <> 'input') THEN 'it waits for a person'
                     WHEN EXISTS (SELECT FROM schedules AS s WHERE s.workspace_id = asked.id AND s.due_at <= now() + $2 * interval '1 second')
                         THEN 'a schedule of it is due'
                END AS why,
                greatest((SELECT coalesce(t.ended_at, t.started_at) FROM tasks AS t WHERE t.workspace_id = asked.id
                          ORDER BY t.started_at DESC LIMIT 1),
                         (SELECT m.started_at + m.duration_ms * interval '1 millisecond' FROM model_calls AS m
                          WHERE m.workspace_id = asked.id ORDER BY m.started_at DESC LIMIT 1)) AS last_at
            FROM unnest($1::uuid[]) AS asked (id)
            """;

    private final Pool pool;
    private final TaskLog tasks;

    public PgAtWork(Pool pool, TaskLog tasks) {
        this.pool = pool;
        this.tasks = tasks;
    }

    /** Serves {@link AtWork}. */
    public Future<AtWork.Answer> of(AtWork question) {
        var ids = question.workspaceIds().stream().limit(AtWork.WORKSPACES_MAX).toArray(UUID[]::new);
        return tasks.flush()
                .compose(
                        written -> pool.preparedQuery(AT_WORK).execute(Tuple.of(ids, (double) question.aheadSeconds())))
                .map(rows ->
                        new AtWork.Answer(rows.stream().map(PgAtWork::toOne).toList()));
    }

    private static AtWork.One toOne(Row row) {
        var last = row.getOffsetDateTime("last_at");
        return new AtWork.One(row.getUUID("id"), row.getString("why"), last == null ? null : last.toInstant());
    }
}
