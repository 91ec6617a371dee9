package ai.molecule.proxy.tasks;

import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.common.bus.proxy.TasksAt;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.ZoneOffset;

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
