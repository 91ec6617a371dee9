package ai.molecule.proxy.activity;

import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** {@link HeldRowStore} on the table {@code held_rows} (db/proxy/V003__held_rows.sql). */
public final class PgHeldRowStore implements HeldRowStore {

    private static final String HOLD = """
            INSERT INTO held_rows (id, owner, body) SELECT id, $1, body FROM unnest($2::uuid[], $3::text[]) AS fresh (id, body)
            ON CONFLICT DO NOTHING
            """;

    private static final String RELEASE = "DELETE FROM held_rows WHERE id = ANY ($1::uuid[])";

    /** Rows are locked and those in use skipped, so that two replicas never take the same. Ids grow with time. */
    private static final String ADOPT = """
            WITH orphan AS (
                SELECT id FROM held_rows
                WHERE CASE WHEN owner = $1 THEN id <> ALL ($4::uuid[])
                    ELSE NOT EXISTS (SELECT 1 FROM proxies WHERE proxies.id = owner
                        AND seen_at > now() - $2 * interval '1 millisecond') END
                ORDER BY id LIMIT $3
                FOR UPDATE SKIP LOCKED
            ), adopted AS (
                UPDATE held_rows SET owner = $1 FROM orphan WHERE held_rows.id = orphan.id
                RETURNING held_rows.id, body
            )
            SELECT body FROM adopted ORDER BY id
            """;

    private final Pool pool;

    public PgHeldRowStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<Void> hold(UUID owner, List<Row> rows) {
        var parameters = Tuple.tuple()
                .addUUID(owner)
                .addValue(rows.stream().map(Row::id).toArray(UUID[]::new))
                .addValue(rows.stream().map(Json::text).toArray(String[]::new));
        return pool.preparedQuery(HOLD).execute(parameters).mapEmpty();
    }

    @Override
    public Future<Void> release(List<UUID> ids) {
        return pool.preparedQuery(RELEASE)
                .execute(Tuple.of(ids.toArray(UUID[]::new)))
                .mapEmpty();
    }

    @Override
    public Future<List<Row>> adopt(UUID owner, Set<UUID> known, Duration lease, int max) {
        return pool.preparedQuery(ADOPT)
                .execute(Tuple.of(owner, lease.toMillis(), max, known.toArray(UUID[]::new)))
                .map(found -> {
                    List<Row> rows = new ArrayList<>();
                    found.forEach(row -> rows.add(read(row.getString(0))));
                    return rows;
                });
    }

    private static Row read(String body) {
        try {
            return Json.MAPPER.readValue(body, Row.class);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
