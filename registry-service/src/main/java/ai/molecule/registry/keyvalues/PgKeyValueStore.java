package ai.molecule.registry.keyvalues;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.quotas.PgStorageUsage;
import ai.molecule.registry.quotas.Quota;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keys and values, in the table {@code key_values}. Expired keys are never returned. */
public record PgKeyValueStore(Database database, Quota quota) {

    /**
     * What became of a write.
     *
     * @param written whether it was done
     * @param version the new version; when not written, the one found right afterwards, null when there was no such key
     */
    public record Outcome(boolean written, @Nullable Long version) {}

    private static final String LIST = """
            SELECT key, value, version, updated_at, expires_at
            FROM (
                SELECT page.*, sum(octet_length(value)) OVER (ORDER BY key) AS bytes
                FROM (
                    SELECT key, value, version, updated_at, expires_at FROM key_values
                    WHERE workspace_id = $1 AND key > $2 AND (expires_at IS NULL OR expires_at > $5)
                    ORDER BY key LIMIT $3
                ) AS page
            ) AS measured
            WHERE bytes <= $4
            ORDER BY key
            """;

    private static final String FIND = """
            SELECT key, value, version, updated_at, expires_at FROM key_values
            WHERE workspace_id = $1 AND key = $2 AND (expires_at IS NULL OR expires_at > $3)
            """;

    /** The lock keeps the workspace from being purged before the row that refers to it is in. */
    private static final String OWNER = "SELECT id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR KEY SHARE";

    /** Racing writers queue on the row; each takes the version it finds when its turn comes. */
    private static final String UPSERT = """
            INSERT INTO key_values AS kept (workspace_id, key, value, expires_at, updated_at)
            SELECT id, $2, $3, $4, $5 FROM (%s) AS owner
            ON CONFLICT (workspace_id, key) DO UPDATE
            SET value = excluded.value, expires_at = excluded.expires_at, updated_at = excluded.updated_at,
                version = kept.version + 1
            RETURNING version
            """.formatted(OWNER);

    /** Of racing creators the unique key lets one in. */
    private static final String CREATE = """
            INSERT INTO key_values (workspace_id, key, value, expires_at, updated_at)
            SELECT id, $2, $3, $4, $5 FROM (%s) AS owner
            ON CONFLICT (workspace_id, key) DO NOTHING
            RETURNING version
            """.formatted(OWNER);

    /** Racing writers queue on the row; whoever comes second finds another version and changes nothing. */
    private static final String REPLACE = """
            UPDATE key_values
            SET value = $3, expires_at = $4, updated_at = $5, version = version + 1
            WHERE workspace_id = $1 AND key = $2 AND version = $6
              AND EXISTS (SELECT 1 FROM workspaces WHERE id = $1 AND status <> 'removed')
            RETURNING version
            """;

    /** No row without the workspace, a null version without the key. */
    private static final String CURRENT = """
            SELECT kept.version
            FROM workspaces LEFT JOIN key_values AS kept ON kept.workspace_id = workspaces.id AND kept.key = $2
            WHERE workspaces.id = $1 AND workspaces.status <> 'removed'
            """;

    private static final String DELETE = "DELETE FROM key_values WHERE workspace_id = $1 AND key = $2";

    private static final String CLAIM = "SELECT pg_try_advisory_xact_lock(66532860)";

    /** Rows in use are skipped: who writes one just now gives it another expiry. */
    private static final String DELETE_EXPIRED = """
            DELETE FROM key_values WHERE (workspace_id, key) IN (
                SELECT workspace_id, key FROM key_values WHERE expires_at < $1
                ORDER BY expires_at LIMIT $2
                FOR UPDATE SKIP LOCKED
            )
            """;

    /** Their versions are given up early: the workspace has no room to remember them. */
    private static final String DELETE_OWN_EXPIRED =
            "DELETE FROM key_values WHERE workspace_id = $1 AND expires_at <= $2 AND key <> $3";

    private static final String TABLE = "key_values";

    /** A page in key order, after the given key; ends early before it would exceed {@code bytesMax} of values. */
    public Future<List<KeyValue>> list(UUID workspaceId, String after, int max, int bytesMax, Instant now) {
        return database.list(
                LIST, Tuple.of(workspaceId, after, max, bytesMax, PgValues.time(now)), PgKeyValueStore::toKeyValue);
    }

    public Future<Optional<KeyValue>> find(UUID workspaceId, String key, Instant now) {
        return database.find(FIND, Tuple.of(workspaceId, key, PgValues.time(now)), PgKeyValueStore::toKeyValue);
    }

    /**
     * Writes atomically, expired keys included; fails with NOT_FOUND for an unknown or removed workspace, and with
     * INSUFFICIENT_STORAGE beyond its quota, though its expired keys were forgotten.
     */
    public Future<Outcome> put(UUID workspaceId, KeyWrite write, Instant now) {
        Long expected = write.expectedVersion();
        var parameters = Tuple.of(workspaceId, write.key(), write.value(), expiry(write, now), PgValues.time(now));
        if (expected != null && expected != 0) {
            parameters.addLong(expected);
        }
        String statement = expected == null ? UPSERT : expected == 0 ? CREATE : REPLACE;
        return database.transaction(transaction -> transaction
                .query(statement, parameters)
                .compose(rows -> rows.size() > 0
                        ? requireRoom(transaction, workspaceId, write.key(), now)
                                .map(within ->
                                        new Outcome(true, rows.iterator().next().getLong("version")))
                        : current(transaction, workspaceId, write.key())));
    }

    private Future<Void> requireRoom(Sql transaction, UUID workspaceId, String written, Instant now) {
        return PgStorageUsage.isWithin(transaction, workspaceId, TABLE, quota)
                .compose(within -> within
                        ? Future.succeededFuture()
                        : transaction
                                .query(DELETE_OWN_EXPIRED, Tuple.of(workspaceId, PgValues.time(now), written))
                                .compose(deleted -> PgStorageUsage.require(transaction, workspaceId, TABLE, quota)));
    }

    public Future<Void> delete(UUID workspaceId, String key) {
        return database.run(DELETE, Tuple.of(workspaceId, key));
    }

    /** Deletes keys that expired before the given time, at most {@code max}; does nothing while another replica is at it. */
    public Future<Integer> deleteExpired(Instant before, int max) {
        return database.transaction(transaction -> transaction
                .get(CLAIM, Tuple.tuple(), row -> row.getBoolean(0))
                .compose(claimed -> claimed
                        ? transaction.update(DELETE_EXPIRED, Tuple.of(PgValues.time(before), max))
                        : Future.succeededFuture(0)));
    }

    private static Future<Outcome> current(Sql transaction, UUID workspaceId, String key) {
        return transaction
                .find(CURRENT, Tuple.of(workspaceId, key), row -> new Outcome(false, row.getLong("version")))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")));
    }

    private static @Nullable OffsetDateTime expiry(KeyWrite write, Instant now) {
        return write.timeToLive() == null ? null : PgValues.time(now.plus(write.timeToLive()));
    }

    private static KeyValue toKeyValue(Row row) {
        return new KeyValue(
                row.getString("key"),
                row.getString("value"),
                row.getLong("version"),
                Objects.requireNonNull(PgValues.instant(row, "updated_at")),
                PgValues.instant(row, "expires_at"));
    }
}
