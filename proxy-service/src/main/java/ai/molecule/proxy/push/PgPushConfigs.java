package ai.molecule.proxy.push;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.push.PushService.Asker;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Who wants to be told of which task. */
final class PgPushConfigs {

    /** Those that count together are added one after the other. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7001))";

    private static final String COUNTS = """
            SELECT count(*) FILTER (WHERE t.task_id = $2)::integer AS of_task,
                count(*) FILTER (WHERE t.due_at IS NOT NULL)::integer AS open,
                coalesce(bool_or(t.task_id = $2 AND c.name = $3 AND c.caller_id IS NOT DISTINCT FROM $4), false) AS there
            FROM push_tasks AS t JOIN push_configs AS c ON c.task = t.id WHERE t.workspace_id = $1
            """;

    /** Looked at at once, also by whoever holds it: a claim that went on would not tell the one that is added. */
    private static final String WATCH = """
            INSERT INTO push_tasks AS t (id, workspace_id, caller_id, task_id) VALUES ($1, $2, $3, $4)
            ON CONFLICT (workspace_id, task_id) DO UPDATE SET seen = '', claim = t.claim + 1, due_at = now()
            RETURNING id
            """;

    /** What waits for the one of that name goes with it: it is for another receiver. */
    private static final String REPLACED =
            "DELETE FROM push_configs WHERE task = $1 AND name = $2 AND caller_id IS NOT DISTINCT FROM $3";

    private static final String ADD = """
            INSERT INTO push_configs (id, task, name, caller_id, version, url, scheme, sealed, ends_with)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """;

    /** The one who asked for it, the agent itself and the person know of it. */
    private static final String OF_TASK = """
             FROM push_configs WHERE task = (SELECT id FROM push_tasks WHERE workspace_id = $1 AND task_id = $2)
                AND ($3::uuid IS NULL OR caller_id = $3 OR $1 = $3) AND ($4::text IS NULL OR name = $4)
            """;

    private static final String LIST =
            "SELECT name, url, token, scheme, credentials, sealed" + OF_TASK + " ORDER BY created_at, name LIMIT 100";

    private static final String DELETE = "DELETE" + OF_TASK;

    private static final String FORGET = """
            DELETE FROM push_tasks WHERE id IN (SELECT id FROM push_tasks
                WHERE changed_at < now() - $1::bigint * interval '1 ms' ORDER BY changed_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    private record Counts(int ofTask, int open, boolean there) {}

    private final Database database;

    PgPushConfigs(Database database) {
        this.database = database;
    }

    /**
     * Adds it, or puts it in the place of the one with its id; fails with {@link WrongPushParameter} or UNAVAILABLE where that is too many.
     *
     * @param id of its row, for which {@code sealed} was sealed
     */
    Future<Void> add(
            UUID id,
            UUID workspace,
            Asker asker,
            String taskId,
            PushConfig config,
            @Nullable String sealed,
            Protocol spoken,
            PushLimits limits) {
        return database.transaction(sql -> sql.query(LOCK, Tuple.of(workspace.toString()))
                .compose(alone -> sql.get(
                        COUNTS,
                        Tuple.of(workspace, taskId, config.id(), asker.workspaceId()),
                        row -> new Counts(row.getInteger(0), row.getInteger(1), row.getBoolean(2))))
                .compose(counts -> {
                    if (!counts.there && counts.ofTask >= limits.ofTaskMax()) {
                        throw new WrongPushParameter(
                                "id", "is one too many: a task has at most " + limits.ofTaskMax() + " receivers");
                    }
                    if (!counts.there && counts.open >= limits.ofWorkspaceMax()) {
                        throw ApiError.unavailable("too many receivers wait for tasks of this agent");
                    }
                    return add(sql, id, workspace, asker, taskId, config, sealed, spoken);
                }));
    }

    private static Future<Void> add(
            Sql sql,
            UUID id,
            UUID workspace,
            Asker asker,
            String taskId,
            PushConfig config,
            @Nullable String sealed,
            Protocol spoken) {
        UUID caller = asker.workspaceId();
        return sql.get(WATCH, Tuple.of(UUID.randomUUID(), workspace, caller, taskId), row -> row.getUUID(0))
                .compose(task ->
                        sql.run(REPLACED, Tuple.of(task, config.id(), caller)).map(task))
                .compose(task -> sql.run(
                        ADD,
                        Tuple.tuple()
                                .addUUID(id)
                                .addUUID(task)
                                .addString(config.id())
                                .addValue(caller)
                                .addString(spoken.version())
                                .addString(config.url())
                                .addValue(config.scheme())
                                .addValue(sealed)
                                .addValue(asker.endsWith())));
    }

    /** @param id null for all; in the order in which they were added */
    Future<List<PushConfig>> list(UUID workspace, String taskId, @Nullable UUID reader, @Nullable String id) {
        return database.list(LIST, Tuple.of(workspace, taskId, reader, id), PgPushOutbox::config);
    }

    Future<Boolean> delete(UUID workspace, String taskId, @Nullable UUID reader, String id) {
        return database.changes(DELETE, Tuple.of(workspace, taskId, reader, id));
    }

    Future<Integer> forget(Duration age, int max) {
        return database.update(FORGET, Tuple.of(age.toMillis(), max));
    }
}
