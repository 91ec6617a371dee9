package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.restarts.PgRestartRequests;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** {@link SecretStore} on {@code workspace_secrets} and {@code global_secrets}: sealed on the way in, opened on the way out. */
public final class PgSecretStore implements SecretStore {

    /** One statement and so one snapshot: no key is missing or there twice. */
    private static final String LIST = """
            SELECT key, 'workspace' AS scope, created_at, updated_at FROM workspace_secrets WHERE workspace_id = $1
            UNION ALL
            SELECT key, 'global' AS scope, created_at, updated_at FROM global_secrets AS global
            WHERE NOT EXISTS (SELECT 1 FROM workspace_secrets AS own WHERE own.workspace_id = $1 AND own.key = global.key)
            ORDER BY scope DESC, key
            """;

    private static final String LIST_GLOBAL =
            "SELECT key, 'global' AS scope, created_at, updated_at FROM global_secrets ORDER BY key";

    /** The global ones first, so that the workspace's own cover them. One snapshot; no row without the workspace. */
    private static final String OPEN = """
            SELECT secret.key, secret.scope, secret.encrypted_value, secret.encryption_version
            FROM workspaces LEFT JOIN (
                SELECT key, 'global' AS scope, encrypted_value, encryption_version FROM global_secrets
                UNION ALL
                SELECT key, 'workspace' AS scope, encrypted_value, encryption_version FROM workspace_secrets
                WHERE workspace_id = $1
            ) AS secret ON true
            WHERE workspaces.id = $1 AND workspaces.status <> 'removed'
            ORDER BY secret.scope, secret.key
            """;

    private static final String FIND = """
            SELECT key, 'workspace' AS scope, encrypted_value, encryption_version FROM workspace_secrets
            WHERE workspace_id = $1 AND key = $2
            """;

    /** Held to the end: no start can be asked for between this change and the request that it be replaced. */
    private static final String LOCK =
            "SELECT id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE";

    /** Runs under the workspace's row lock, or for one that nobody else can see yet. */
    private static final String SET = """
            INSERT INTO workspace_secrets (workspace_id, key, encrypted_value, encryption_version, created_at, updated_at)
            SELECT $1, key, sealed, version, $5, $5
            FROM unnest($2::text[], $3::bytea[], $4::integer[]) AS secret (key, sealed, version)
            ON CONFLICT (workspace_id, key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                updated_at = excluded.updated_at
            """;

    private static final String COUNT = "SELECT count(*) FROM workspace_secrets WHERE workspace_id = $1";

    /** Runs under the workspace's row lock. */
    private static final String DELETE = "DELETE FROM workspace_secrets WHERE workspace_id = $1 AND key = $2";

    /** Of two racing sets of one key the later wins. */
    private static final String SET_GLOBAL = """
            INSERT INTO global_secrets (key, encrypted_value, encryption_version, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $4)
            ON CONFLICT (key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                updated_at = excluded.updated_at
            """;

    /** Racing sets of different keys do not see each other and may go a few over the bound. */
    private static final String COUNT_GLOBAL = "SELECT count(*) FROM global_secrets";

    private static final String DELETE_GLOBAL = "DELETE FROM global_secrets WHERE key = $1";

    private final Pool pool;
    private final Vault vault;

    public PgSecretStore(Pool pool, Vault vault) {
        this.pool = pool;
        this.vault = vault;
    }

    @Override
    public Future<List<SecretEntry>> list(UUID workspaceId) {
        return pool.preparedQuery(LIST).execute(Tuple.of(workspaceId)).map(PgSecretStore::toEntries);
    }

    @Override
    public Future<List<SecretEntry>> listGlobal() {
        return pool.preparedQuery(LIST_GLOBAL).execute().map(PgSecretStore::toEntries);
    }

    @Override
    public Future<Void> set(UUID workspaceId, List<Secret> secrets, boolean restart, Instant now) {
        return pool.withTransaction(transaction -> transaction
                .preparedQuery(LOCK)
                .execute(Tuple.of(workspaceId))
                .compose(rows -> rows.size() > 0
                        ? insert(transaction, workspaceId, secrets, now)
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(set -> transaction.preparedQuery(COUNT).execute(Tuple.of(workspaceId)))
                .compose(PgSecretStore::requireBound)
                .compose(within -> restart
                        ? PgRestartRequests.ask(transaction, workspaceId, now).<Void>mapEmpty()
                        : Future.succeededFuture()));
    }

    /** Stores them within the transaction that creates their workspace. */
    public Future<Void> insert(SqlClient transaction, UUID workspaceId, List<Secret> secrets, Instant now) {
        if (secrets.isEmpty()) {
            return Future.succeededFuture();
        }
        var sealed = secrets.stream().map(secret -> vault.seal(secret.value())).toList();
        return transaction
                .preparedQuery(SET)
                .execute(Tuple.tuple()
                        .addValue(workspaceId)
                        .addValue(secrets.stream().map(Secret::key).toArray(String[]::new))
                        .addValue(sealed.stream().map(Sealed::bytes).toArray(Buffer[]::new))
                        .addValue(sealed.stream().map(Sealed::version).toArray(Integer[]::new))
                        .addValue(PgValues.time(now)))
                .mapEmpty();
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, String key, Instant now) {
        return pool.withTransaction(transaction -> transaction
                .preparedQuery(LOCK)
                .execute(Tuple.of(workspaceId))
                .compose(locked -> transaction.preparedQuery(DELETE).execute(Tuple.of(workspaceId, key)))
                .map(rows -> rows.rowCount() > 0)
                .compose(deleted -> deleted
                        ? PgRestartRequests.ask(transaction, workspaceId, now).map(true)
                        : Future.succeededFuture(false)));
    }

    @Override
    public Future<Void> setGlobal(Secret secret, Instant now) {
        var sealed = vault.seal(secret.value());
        return pool.withTransaction(transaction -> transaction
                .preparedQuery(SET_GLOBAL)
                .execute(Tuple.of(secret.key(), sealed.bytes(), sealed.version(), PgValues.time(now)))
                .compose(set -> transaction.query(COUNT_GLOBAL).execute())
                .compose(PgSecretStore::requireBound)
                .compose(within -> PgRestartRequests.askAllWithout(transaction, secret.key(), now)));
    }

    @Override
    public Future<Boolean> deleteGlobal(String key, Instant now) {
        return pool.withTransaction(transaction -> transaction
                .preparedQuery(DELETE_GLOBAL)
                .execute(Tuple.of(key))
                .map(rows -> rows.rowCount() > 0)
                .compose(deleted -> deleted
                        ? PgRestartRequests.askAllWithout(transaction, key, now).map(true)
                        : Future.succeededFuture(false)));
    }

    @Override
    public Future<SecretsFor.Bundle> open(UUID workspaceId) {
        return pool.preparedQuery(OPEN).execute(Tuple.of(workspaceId)).map(rows -> {
            if (rows.size() == 0) {
                throw ApiError.notFound("workspace not found");
            }
            Map<String, String> values = new TreeMap<>();
            List<String> failed = new ArrayList<>();
            for (Row row : rows) {
                String key = row.getString("key");
                if (key != null) {
                    open(row).ifPresentOrElse(value -> values.put(key, value), () -> failed.add(nameOf(row)));
                }
            }
            return new SecretsFor.Bundle(failed.isEmpty() ? values : Map.of(), failed);
        });
    }

    @Override
    public Future<Optional<Secret>> find(UUID workspaceId, String key) {
        return pool.preparedQuery(FIND)
                .execute(Tuple.of(workspaceId, key))
                .map(rows -> rows.stream()
                        .map(row -> new Secret(
                                key, open(row).orElseThrow(() -> SecretService.undecryptable(List.of(nameOf(row))))))
                        .findFirst());
    }

    private Optional<String> open(Row row) {
        return vault.open(new Sealed(row.getBuffer("encrypted_value"), row.getInteger("encryption_version")));
    }

    private static String nameOf(Row row) {
        return row.getString("scope") + ":" + row.getString("key");
    }

    private static Future<Void> requireBound(RowSet<Row> counted) {
        return counted.iterator().next().getLong(0) <= Secret.COUNT_MAX
                ? Future.succeededFuture()
                : Future.failedFuture(ApiError.conflict("maximum %d secrets".formatted(Secret.COUNT_MAX)));
    }

    private static List<SecretEntry> toEntries(RowSet<Row> rows) {
        return rows.stream()
                .map(row -> new SecretEntry(
                        row.getString("key"),
                        row.getString("scope"),
                        row.getOffsetDateTime("created_at").toInstant(),
                        row.getOffsetDateTime("updated_at").toInstant()))
                .toList();
    }
}
