package ai.molecule.proxy.backlog;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;

/** {@link BacklogStore} on the tables {@code a2a_queue} and {@code delegations}. Both statements read what is open only, by a partial index. */
public final class PgBacklogStore implements BacklogStore {

    private static final String QUEUE = """
            SELECT count(*) AS messages,
                coalesce(extract(epoch FROM now() - min(enqueued_at)), 0)::double precision AS oldest_seconds
            FROM a2a_queue WHERE status = 'queued'
            """;

    /** A row that is due at some time has no outcome yet. Delegations that agents carry out themselves are never due, so not counted. */
    private static final String DELEGATIONS = """
            SELECT status, count(*) AS delegations FROM delegations WHERE due_at IS NOT NULL GROUP BY status
            """;

    private final Database database;

    public PgBacklogStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<Queue> queue() {
        return database.get(
                QUEUE, Tuple.tuple(), row -> new Queue(row.getLong("messages"), row.getDouble("oldest_seconds")));
    }

    @Override
    public Future<Map<String, Long>> delegations() {
        return database.map(
                        DELEGATIONS, Tuple.tuple(), row -> row.getString("status"), row -> row.getLong("delegations"))
                .map(found -> {
                    Map<String, Long> counted = new HashMap<>(Map.of("pending", 0L, "dispatched", 0L, "queued", 0L));
                    counted.putAll(found);
                    return counted;
                });
    }
}
