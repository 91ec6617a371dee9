package ai.molecule.proxy.push;

import ai.molecule.common.db.Database;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.PgLeases;
import ai.molecule.proxy.protocol.Protocol;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What receivers are still to be told, one receiver at a time and oldest first (tables {@code push_configs}, {@code push_notifications}). A
 * receiver is due until its newest notification is gone; that one's number stands in its own row, so none that comes meanwhile is overlooked.
 */
final class PgPushOutbox extends PgLeases<PushNotice> {

    /** Safe under races because rows that others are claiming are passed over. An attempt counts when it begins, so a replica that dies uses up one. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id FROM push_configs WHERE due_at <= now() AND now() < $3 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            ), taken AS (
                UPDATE push_configs AS c SET claim = claim + 1, attempts = attempts + 1, due_at = now() + $2::bigint * interval '1 ms'
                FROM due WHERE c.id = due.id RETURNING c.*
            )
            SELECT taken.id, taken.claim, workspace_id, name, version, url, token, scheme, credentials, sealed, ends_with, attempts, lost,
                coalesce(head.n, taken.last_n) AS n, body
            FROM taken JOIN push_tasks ON push_tasks.id = taken.task
                LEFT JOIN LATERAL (SELECT n, body FROM push_notifications WHERE config = taken.id ORDER BY n LIMIT 1) AS head ON true
            """;

    /** @see #CLAIM what was lost is told with the notification that is taken, and more may have been lost meanwhile */
    private static final String TAKEN = """
            WITH held AS (
                UPDATE push_configs SET claim = claim + 1, attempts = 0, lost = greatest(0, lost - $4::integer),
                    due_at = CASE WHEN last_n > $3 THEN now() END
                WHERE id = $1 AND claim = $2 RETURNING id
            ), gone AS (
                DELETE FROM push_notifications USING held WHERE config = held.id AND n <= $3
            )
            SELECT id FROM held
            """;

    private static final String GIVEN_UP = """
            WITH held AS (
                UPDATE push_configs SET claim = claim + 1, attempts = 0, lost = lost + 1, due_at = CASE WHEN last_n > $3 THEN now() END
                WHERE id = $1 AND claim = $2 RETURNING id
            ), gone AS (
                DELETE FROM push_notifications USING held WHERE config = held.id AND n <= $3
            )
            SELECT id FROM held
            """;

    private static final String AGAIN = """
            UPDATE push_configs SET claim = claim + 1, due_at = now() + $3::bigint * interval '1 ms' WHERE id = $1 AND claim = $2
            """;

    private static final String REMOVE = "DELETE FROM push_configs WHERE id = $1 AND claim = $2";

    private final Database database;

    PgPushOutbox(Database database) {
        super(database, "push_configs");
        this.database = database;
    }

    @Override
    public Future<List<PushNotice>> claim(int max, Duration lease, Instant until) {
        return database.list(CLAIM, claiming(max, lease, until), PgPushOutbox::notice);
    }

    private static PushNotice notice(Row row) {
        return new PushNotice(
                new Claim(row.getUUID("id"), row.getLong("claim")),
                row.getUUID("workspace_id"),
                config(row),
                row.getString("ends_with"),
                Protocol.of(row.getString("version")),
                row.getLong("n"),
                row.getBuffer("body"),
                row.getInteger("attempts"),
                row.getInteger("lost"));
    }

    static PushConfig config(Row row) {
        @Nullable String token = row.getString("token");
        return new PushConfig(
                row.getString("name"),
                row.getString("url"),
                token,
                row.getString("scheme"),
                row.getString("credentials"),
                row.getString("sealed"));
    }

    Future<Boolean> taken(PushNotice notice) {
        return step(TAKEN, Tuple.of(notice.held().id(), notice.held().claim(), notice.n(), notice.lost()));
    }

    Future<Boolean> givenUp(PushNotice notice) {
        return step(GIVEN_UP, Tuple.of(notice.held().id(), notice.held().claim(), notice.n()));
    }

    Future<Boolean> again(PushNotice notice, Duration pause) {
        return step(AGAIN, Tuple.of(notice.held().id(), notice.held().claim(), pause.toMillis()));
    }

    Future<Boolean> remove(PushNotice notice) {
        return step(REMOVE, Tuple.of(notice.held().id(), notice.held().claim()));
    }
}
