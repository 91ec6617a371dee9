package ai.molecule.proxy.tasks;

import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.common.bus.proxy.TasksAt;
import ai.molecule.common.bus.proxy.WaitsBehind;
import ai.molecule.common.bus.proxy.WaitsBehind.Held;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.ZoneOffset;
import java.util.UUID;

/** What runs between two agents, of {@code tasks} and {@code delegations}. */
public final class PgRunning {

    /** A delegation and the message that carries it are one. */
    private static final String WITH = """
            SELECT id, 'delegation' AS kind, source_id, target_id, left(task, 60) AS preview, created_at AS started_at
            FROM delegations
            WHERE status IN ('dispatched', 'queued') AND target_id IS NOT NULL AND (source_id = $1 OR target_id = $1)
            UNION ALL
            SELECT id, 'message', caller_id, workspace_id, preview, started_at FROM tasks AS t
            WHERE ended_at IS NULL AND caller_id IS NOT NULL AND caller_id <> workspace_id AND (workspace_id = $1 OR caller_id = $1)
                AND NOT EXISTS (SELECT 1 FROM delegations AS d WHERE d.delegation_id = t.message_id AND d.target_id = t.workspace_id)
            ORDER BY started_at, id LIMIT $2
            """;

    /** A task that has gone on for more than a day is shown by its agent, and not by a time bar. */
    private static final String AT = """
            SELECT DISTINCT ON (workspace_id) workspace_id, id, work_id, caller_id, preview, started_at FROM tasks
            WHERE started_at > $1::timestamptz - interval '1 day' AND started_at <= $1 AND (ended_at IS NULL OR ended_at > $1)
            ORDER BY workspace_id, started_at DESC LIMIT $2
            """;

    /**
     * From what is held up the way it was handed on: whoever gave it, and is at the same piece of work, waits too; an agent of whom all is held
     * keeps those waiting as well whose messages are in its queue. A circle ends where it began, because a row comes once.
     */
    private static final String BEHIND = """
            WITH RECURSIVE held AS (
                SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) AS one (id, workspace_id, task, work_id)
            ), up (held, id, caller_id, work_id, itself) AS (
                SELECT held.id, t.id, t.caller_id, t.work_id, held.task IS NOT NULL
                FROM held JOIN tasks AS t ON t.ended_at IS NULL
                    AND CASE WHEN held.work_id IS NOT NULL THEN t.work_id = held.work_id
                        ELSE t.workspace_id = held.workspace_id AND (held.task IS NULL OR held.task IN (t.task_id, t.message_id)) END
                UNION
                SELECT up.held, t.id, t.caller_id, t.work_id, false
                FROM up JOIN tasks AS t ON t.workspace_id = up.caller_id AND t.ended_at IS NULL AND t.work_id = up.work_id
            ), behind AS (
                SELECT held, id, work_id, bool_or(itself) AS itself FROM (SELECT * FROM up LIMIT $5) AS bounded GROUP BY held, id, work_id
            ), queued AS (
                SELECT held.id AS held, (SELECT count(*) FROM (SELECT FROM a2a_queue AS q
                    WHERE q.target_id = held.workspace_id AND q.status = 'queued' LIMIT $6) AS bounded) AS waiting
                FROM held WHERE held.task IS NULL AND held.work_id IS NULL
            )
            SELECT held.id, least(count(behind.id) FILTER (WHERE NOT behind.itself) + coalesce(max(queued.waiting), 0), $6)::int AS tasks,
                least(count(DISTINCT behind.work_id), $6)::int AS works
            FROM held LEFT JOIN behind ON behind.held = held.id LEFT JOIN queued ON queued.held = held.id
            GROUP BY held.id
            """;

    /** Of all that are asked about together. */
    private static final int WALKED_MAX = 20_000;

    private final Pool pool;
    private final TaskLog tasks;

    public PgRunning(Pool pool, TaskLog tasks) {
        this.pool = pool;
        this.tasks = tasks;
    }

    /** Serves {@link RunningWith}. */
    public Future<RunningWith.Running> with(RunningWith question) {
        return tasks.flush()
                .compose(written -> pool.preparedQuery(WITH).execute(Tuple.of(question.workspaceId(), RunningWith.MAX)))
                .map(rows -> new RunningWith.Running(
                        rows.stream().map(PgRunning::one).toList()));
    }

    /** Serves {@link TasksAt}. */
    public Future<TasksAt.Running> at(TasksAt question) {
        return tasks.flush()
                .compose(written ->
                        pool.preparedQuery(AT).execute(Tuple.of(question.at().atOffset(ZoneOffset.UTC), TasksAt.MAX)))
                .map(rows -> new TasksAt.Running(rows.stream()
                        .map(row -> new TasksAt.One(
                                row.getUUID("workspace_id"),
                                row.getUUID("id"),
                                row.getUUID("work_id"),
                                row.getUUID("caller_id"),
                                row.getString("preview"),
                                row.getOffsetDateTime("started_at").toInstant()))
                        .toList()));
    }

    /** Serves {@link WaitsBehind}. */
    public Future<WaitsBehind.Behind> behind(WaitsBehind question) {
        var held = question.held().subList(0, Math.min(question.held().size(), WaitsBehind.HELD_MAX));
        var asked = Tuple.of(
                held.stream().map(Held::id).toArray(UUID[]::new),
                held.stream().map(Held::workspaceId).toArray(UUID[]::new),
                held.stream().map(Held::task).toArray(String[]::new),
                held.stream().map(Held::workId).toArray(UUID[]::new),
                WALKED_MAX,
                WaitsBehind.COUNTED_MAX);
        return tasks.flush()
                .compose(written -> pool.preparedQuery(BEHIND).execute(asked))
                .map(rows -> new WaitsBehind.Behind(rows.stream()
                        .map(row -> new WaitsBehind.Count(
                                row.getUUID("id"), row.getInteger("tasks"), row.getInteger("works")))
                        .filter(count -> count.tasks() > 0 || count.works() > 0)
                        .toList()));
    }

    private static RunningWith.One one(Row row) {
        return new RunningWith.One(
                row.getUUID("id"),
                row.getString("kind"),
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("preview"),
                row.getOffsetDateTime("started_at").toInstant());
    }
}
