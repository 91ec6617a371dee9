package ai.molecule.proxy.push;

import ai.molecule.common.db.Database;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.PgLeases;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The table {@code push_tasks}, and what is added to the outbox of a task's receivers (db/proxy/V056__push_notifications.sql). */
final class PgPushTasks extends PgLeases<WatchedTask> {

    /** Safe under races because rows that others are claiming are passed over. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id FROM push_tasks WHERE due_at <= now() AND now() < $3 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            )
            UPDATE push_tasks AS t SET claim = claim + 1, due_at = now() + $2::bigint * interval '1 ms'
            FROM due WHERE t.id = due.id
            RETURNING t.id, claim, workspace_id, caller_id, task_id, seen,
                (extract(epoch FROM now() - changed_at) * 1000)::bigint AS since_millis
            """;

    private static final String REST = """
            UPDATE push_tasks SET claim = claim + 1, due_at = now() + $3::bigint * interval '1 ms' WHERE id = $1 AND claim = $2
            """;

    private static final String END =
            "UPDATE push_tasks SET claim = claim + 1, due_at = NULL WHERE id = $1 AND claim = $2";

    /** First of all, because it locks the row: a receiver that is added meanwhile comes wholly before, and is told, or takes the claim away. */
    private static final String CHANGED = """
            UPDATE push_tasks SET claim = claim + 1, seen = $3, changed_at = now(), due_at = CASE WHEN $4::bigint >= 0 THEN now() + $4::bigint * interval '1 ms' END
            WHERE id = $1 AND claim = $2
            """;

    /** For those that were not told the same before. */
    private static final String TELL = """
            WITH told AS (
                UPDATE push_configs SET seen = $2, last_n = last_n + 1, due_at = coalesce(due_at, now())
                WHERE task = $1 AND seen <> $2
                RETURNING id, last_n, version
            )
            INSERT INTO push_notifications (config, n, body)
            SELECT id, last_n, CASE version WHEN '1.0' THEN $4::bytea ELSE $3::bytea END FROM told
            """;

    private static final String MAKE_ROOM = """
            WITH dropped AS (
                DELETE FROM push_notifications AS old USING push_configs AS c
                WHERE c.task = $1 AND old.config = c.id AND old.n <= c.last_n - $2
                RETURNING old.config
            )
            UPDATE push_configs AS c SET lost = lost + given_up.number, attempts = 0
            FROM (SELECT config, count(*)::integer AS number FROM dropped GROUP BY config) AS given_up WHERE c.id = given_up.config
            """;

    private final Database database;

    PgPushTasks(Database database) {
        super(database, "push_tasks");
        this.database = database;
    }

    @Override
    public Future<List<WatchedTask>> claim(int max, Duration lease, Instant until) {
        return database.list(
                CLAIM,
                claiming(max, lease, until),
                row -> new WatchedTask(
                        new Claim(row.getUUID("id"), row.getLong("claim")),
                        row.getUUID("workspace_id"),
                        row.getUUID("caller_id"),
                        row.getString("task_id"),
                        row.getString("seen"),
                        Duration.ofMillis(Math.max(0, row.getLong("since_millis")))));
    }

    Future<Boolean> rest(Claim held, Duration pause) {
        return step(REST, Tuple.of(held.id(), held.claim(), pause.toMillis()));
    }

    /** It is not looked at again. */
    Future<Boolean> end(Claim held) {
        return step(END, Tuple.of(held.id(), held.claim()));
    }

    /**
     * Gives it to all its receivers, in one transaction.
     *
     * @param in03, in10 the task in either version
     * @param pause until it is looked at again; negative for a task that is over
     * @return whether it was still held
     */
    Future<Boolean> changed(Claim held, String digest, Buffer in03, Buffer in10, Duration pause, int waitingMax) {
        return database.transaction(sql -> sql.changes(
                        CHANGED, Tuple.of(held.id(), held.claim(), digest, pause.toMillis()))
                .compose(still -> still
                        ? sql.run(TELL, Tuple.of(held.id(), digest, in03, in10))
                                .compose(told -> sql.run(MAKE_ROOM, Tuple.of(held.id(), waitingMax)))
                                .map(true)
                        : Future.succeededFuture(false)));
    }
}
