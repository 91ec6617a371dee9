package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Optional;

/** {@link TicketStore} on the table {@code tickets}, for a platform without Redis. */
public record PgTicketStore(Database database) implements TicketStore {

    /** Tickets put at once do not see each other and may go a few over the bound. Those that are over go, a thousand at a time. */
    private static final String PUT = """
            WITH over AS (
                SELECT key FROM tickets WHERE expires_at <= now() LIMIT 1000 FOR UPDATE SKIP LOCKED
            ), forgotten AS (
                DELETE FROM tickets WHERE key IN (SELECT key FROM over)
            )
            INSERT INTO tickets (key, value, expires_at)
            SELECT $1, $2, now() + $3 * interval '1 millisecond'
            WHERE (SELECT count(*) FROM tickets WHERE expires_at > now()) < 10000
            """;

    /** Of several callers the row lock lets one in; the others find it gone. */
    private static final String TAKE = "DELETE FROM tickets WHERE key = $1 RETURNING value, expires_at > now() AS live";

    @Override
    public Future<Void> put(String key, String value, Duration age) {
        return database.query(PUT, Tuple.of(key, value, (double) age.toMillis()))
                .compose(rows -> rows.rowCount() == 1
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.unavailable("too many tickets, try again later")));
    }

    @Override
    public Future<Optional<String>> take(String key) {
        return database.query(TAKE, Tuple.of(key))
                .map(rows -> rows.stream()
                        .filter(row -> row.getBoolean("live"))
                        .map(row -> row.getString("value"))
                        .findFirst());
    }
}
