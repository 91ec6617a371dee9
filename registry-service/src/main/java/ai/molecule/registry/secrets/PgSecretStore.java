package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.restarts.PgRestartRequests;
import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Secrets, in {@code workspace_secrets} and {@code global_secrets}: sealed on the way in, opened on the way out. */
public final class PgSecretStore {

    /**
     * What an agent is told.
     *
     * @param globalKeys of the values that are global ones
     */
    public record Opened(SecretsFor.Bundle bundle, List<String> globalKeys) {}

    /** Where one run of {@link #rotate} came to; {@code remaining} are still sealed otherwise, or not sealed at all. */
    public record Rotated(int rotated, long remaining) {}

    /** The global ones that the workspace $1 may read: those for everybody, and those granted to it or to one above it. */
    private static final String VISIBLE = """
            WITH RECURSIVE branch (id, parent_id) AS (
                SELECT id, parent_id FROM workspaces WHERE id = $1
                UNION
                SELECT above.id, above.parent_id FROM workspaces AS above JOIN branch ON above.id = branch.parent_id
            ), visible AS (
                SELECT * FROM global_secrets WHERE granted_to IS NULL OR granted_to && ARRAY(SELECT id FROM branch)
            )
            """;

    /** One statement and so one snapshot: no key is missing or there twice. */
    private static final String LIST = VISIBLE + """
            SELECT key, 'workspace' AS scope, created_at, updated_at, last_read_at, NULL::uuid[] AS granted_to
            FROM workspace_secrets WHERE workspace_id = $1
            UNION ALL
            SELECT key, 'global' AS scope, created_at, updated_at, last_read_at, NULL::uuid[] AS granted_to FROM visible AS global
            WHERE NOT EXISTS (SELECT 1 FROM workspace_secrets AS own WHERE own.workspace_id = $1 AND own.key = global.key)
            ORDER BY scope DESC, key
            """;

    private static final String LIST_GLOBAL = """
            SELECT key, 'global' AS scope, created_at, updated_at, last_read_at, granted_to FROM global_secrets ORDER BY key
            """;

    /** The global ones first, so that the workspace's own cover them. One snapshot; no row without the workspace. */
    private static final String OPEN = VISIBLE + """
            SELECT secret.key, secret.scope, secret.encrypted_value, secret.encryption_version, secret.key_id
            FROM workspaces LEFT JOIN (
                SELECT key, 'global' AS scope, encrypted_value, encryption_version, key_id FROM visible
                UNION ALL
                SELECT key, 'workspace' AS scope, encrypted_value, encryption_version, key_id FROM workspace_secrets
                WHERE workspace_id = $1
            ) AS secret ON true
            WHERE workspaces.id = $1 AND workspaces.status <> 'removed'
            ORDER BY secret.scope, secret.key
            """;

    private static final String FIND = """
            SELECT key, 'workspace' AS scope, encrypted_value, encryption_version, key_id FROM workspace_secrets
            WHERE workspace_id = $1 AND key = $2
            """;

    /** Held to the end: no start can be asked for between this change and the request that it be replaced. */
    private static final String LOCK =
            "SELECT id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE";

    /** Runs under the workspace's row lock, or for one that nobody else can see yet. */
    private static final String SET = """
            INSERT INTO workspace_secrets
                (workspace_id, key, encrypted_value, encryption_version, key_id, created_at, updated_at)
            SELECT $1, key, sealed, version, key_id, $6, $6
            FROM unnest($2::text[], $3::bytea[], $4::integer[], $5::text[]) AS secret (key, sealed, version, key_id)
            ORDER BY key
            ON CONFLICT (workspace_id, key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                key_id = excluded.key_id, updated_at = excluded.updated_at
            """;

    private static final String COUNT = "SELECT count(*) FROM workspace_secrets WHERE workspace_id = $1";

    /** Runs under the workspace's row lock. */
    private static final String DELETE = "DELETE FROM workspace_secrets WHERE workspace_id = $1 AND key = $2";

    /** One change of global ones at a time: the count holds, and who could read one until now is known. */
    private static final String LOCK_GLOBAL = "SELECT pg_advisory_xact_lock(66532861)";

    private static final String FIND_GRANTS = "SELECT granted_to FROM global_secrets WHERE key = $1";

    private static final String COUNT_PRESENT =
            "SELECT count(*) FROM workspaces WHERE id = ANY ($1) AND status <> 'removed'";

    /** Under the lock. */
    private static final String SET_GLOBAL = """
            INSERT INTO global_secrets
                (key, encrypted_value, encryption_version, key_id, granted_to, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $6)
            ON CONFLICT (key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                key_id = excluded.key_id, granted_to = excluded.granted_to, updated_at = excluded.updated_at
            """;

    private static final String COUNT_GLOBAL = "SELECT count(*) FROM global_secrets";

    private static final String DELETE_GLOBAL = "DELETE FROM global_secrets WHERE key = $1 RETURNING granted_to";

    /** Waits for nobody, so that it is in nobody's way: rows being changed just now are left out. */
    private static final String NOTE_READS = """
            WITH free AS (
                SELECT secret.workspace_id, secret.key, read.at
                FROM unnest($1::uuid[], $2::timestamptz[]) AS read (workspace_id, at)
                JOIN workspace_secrets AS secret ON secret.workspace_id = read.workspace_id
                FOR NO KEY UPDATE OF secret SKIP LOCKED
            )
            UPDATE workspace_secrets AS secret SET last_read_at = greatest(secret.last_read_at, free.at)
            FROM free WHERE free.workspace_id = secret.workspace_id AND free.key = secret.key
            """;

    private static final String NOTE_GLOBAL_READS = """
            WITH free AS (
                SELECT secret.key, read.at
                FROM unnest($1::text[], $2::timestamptz[]) AS read (key, at)
                JOIN global_secrets AS secret ON secret.key = read.key
                FOR NO KEY UPDATE OF secret SKIP LOCKED
            )
            UPDATE global_secrets AS secret SET last_read_at = greatest(secret.last_read_at, free.at)
            FROM free WHERE free.key = secret.key
            """;

    private static final String OTHERWISE_SEALED = "(encryption_version <> 2 OR key_id IS DISTINCT FROM $1)";

    /** A batch after a place in key order. Held to the end; what is being set just now is sealed anew by that. */
    private static final String TAKE = """
            SELECT workspace_id, key, 'workspace' AS scope, encrypted_value, encryption_version, key_id FROM workspace_secrets
            WHERE %s AND (workspace_id, key) > ($2, $3) ORDER BY workspace_id, key LIMIT $4
            FOR NO KEY UPDATE SKIP LOCKED
            """.formatted(OTHERWISE_SEALED);

    /** There are at most a hundred. */
    private static final String TAKE_GLOBAL = """
            SELECT NULL::uuid AS workspace_id, key, 'global' AS scope, encrypted_value, encryption_version, key_id
            FROM global_secrets WHERE %s FOR NO KEY UPDATE SKIP LOCKED
            """.formatted(OTHERWISE_SEALED);

    /** What was taken. */
    private static final String RESEAL = """
            UPDATE workspace_secrets AS secret
            SET encrypted_value = anew.sealed, encryption_version = anew.version, key_id = anew.key_id
            FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::integer[], $5::text[])
                AS anew (workspace_id, key, sealed, version, key_id)
            WHERE secret.workspace_id = anew.workspace_id AND secret.key = anew.key
            """;

    private static final String RESEAL_GLOBAL = """
            UPDATE global_secrets AS secret
            SET encrypted_value = anew.sealed, encryption_version = anew.version, key_id = anew.key_id
            FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::integer[], $5::text[])
                AS anew (workspace_id, key, sealed, version, key_id)
            WHERE secret.key = anew.key
            """;

    private static final String COUNT_OTHERWISE_SEALED = """
            SELECT (SELECT count(*) FROM workspace_secrets WHERE %1$s) + (SELECT count(*) FROM global_secrets WHERE %1$s)
            """.formatted(OTHERWISE_SEALED);

    private static final UUID BEFORE_ALL = new UUID(0, 0);
    private static final int BATCH = 100;

    private final Database database;
    private final Vault vault;

    public PgSecretStore(Database database, Vault vault) {
        this.database = database;
        this.vault = vault;
    }

    /** The workspace's own by key, then the global ones it may read and does not cover by key. */
    public Future<List<SecretEntry>> list(UUID workspaceId) {
        return database.query(LIST, Tuple.of(workspaceId)).map(PgSecretStore::toEntries);
    }

    public Future<List<SecretEntry>> listGlobal() {
        return database.query(LIST_GLOBAL).map(PgSecretStore::toEntries);
    }

    /**
     * Stores all or none; fails with NOT_FOUND for an unknown or removed workspace and CONFLICT when it would have too many.
     *
     * @param restart whether to ask for a restart in the same transaction
     */
    public Future<Void> set(UUID workspaceId, List<Secret> secrets, boolean restart, Instant now) {
        return database.transaction(transaction -> transaction
                .query(LOCK, Tuple.of(workspaceId))
                .compose(rows -> rows.size() > 0
                        ? insert(transaction, workspaceId, secrets, now)
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(set -> transaction.query(COUNT, Tuple.of(workspaceId)))
                .compose(PgSecretStore::requireBound)
                .compose(within -> restart
                        ? PgRestartRequests.ask(transaction, workspaceId, now).<Void>mapEmpty()
                        : Future.succeededFuture()));
    }

    /** Stores them within the transaction that creates their workspace. */
    public Future<Void> insert(Sql transaction, UUID workspaceId, List<Secret> secrets, Instant now) {
        if (secrets.isEmpty()) {
            return Future.succeededFuture();
        }
        var sealed = secrets.stream()
                .map(secret -> vault.seal(new Place(workspaceId, secret.key()), secret.value()))
                .toList();
        return transaction.run(
                SET,
                Tuple.of(
                        workspaceId,
                        secrets.stream().map(Secret::key).toArray(String[]::new),
                        sealed.stream().map(Sealed::bytes).toArray(Buffer[]::new),
                        sealed.stream().map(Sealed::version).toArray(Integer[]::new),
                        sealed.stream().map(Sealed::keyId).toArray(String[]::new),
                        PgValues.time(now)));
    }

    /** With a request for a restart; false when there is none of that key. */
    public Future<Boolean> delete(UUID workspaceId, String key, Instant now) {
        return database.transaction(transaction -> transaction
                .query(LOCK, Tuple.of(workspaceId))
                .compose(locked -> transaction.query(DELETE, Tuple.of(workspaceId, key)))
                .map(rows -> rows.rowCount() > 0)
                .compose(deleted -> deleted
                        ? PgRestartRequests.ask(transaction, workspaceId, now).map(true)
                        : Future.succeededFuture(false)));
    }

    /**
     * With requests for the restarts of all whom it concerns; fails with CONFLICT when there would be too many, and with INVALID for
     * a grant to a workspace that is not there.
     *
     * @param grants empty leaves them as they are, and is for everybody where there was no such secret
     */
    public Future<Void> setGlobal(Secret secret, Optional<Grants> grants, Instant now) {
        var sealed = vault.seal(new Place(null, secret.key()), secret.value());
        return database.transaction(transaction -> transaction
                .query(LOCK_GLOBAL)
                .compose(locked -> requirePresent(transaction, grants))
                .compose(present -> transaction.query(FIND_GRANTS, Tuple.of(secret.key())))
                .map(PgSecretStore::grantsOf)
                .compose(before -> {
                    var after = grants.or(() -> before).orElse(Grants.EVERYBODY);
                    return transaction
                            .query(
                                    SET_GLOBAL,
                                    Tuple.of(
                                            secret.key(),
                                            sealed.bytes(),
                                            sealed.version(),
                                            sealed.keyId(),
                                            array(after.branches()),
                                            PgValues.time(now)))
                            .compose(set -> transaction.query(COUNT_GLOBAL))
                            .compose(PgSecretStore::requireBound)
                            .compose(within -> PgRestartRequests.askAllWithout(
                                    transaction, secret.key(), reach(before.orElse(after), after), now));
                }));
    }

    public Future<Boolean> deleteGlobal(String key, Instant now) {
        return database.transaction(transaction -> transaction
                .query(LOCK_GLOBAL)
                .compose(locked -> transaction.query(DELETE_GLOBAL, Tuple.of(key)))
                .map(PgSecretStore::grantsOf)
                .compose(deleted -> deleted.isPresent()
                        ? PgRestartRequests.askAllWithout(transaction, key, reach(deleted.get(), deleted.get()), now)
                                .map(true)
                        : Future.succeededFuture(false)));
    }

    /** The global values it may read, its own over them; fails with NOT_FOUND for an unknown or removed workspace. */
    public Future<Opened> open(UUID workspaceId) {
        return database.query(OPEN, Tuple.of(workspaceId)).map(rows -> {
            if (rows.size() == 0) {
                throw ApiError.notFound("workspace not found");
            }
            Map<String, String> values = new TreeMap<>();
            Set<String> global = new TreeSet<>();
            List<String> failed = new ArrayList<>();
            for (Row row : rows) {
                String key = row.getString("key");
                if (key != null) {
                    open(row, workspaceId)
                            .ifPresentOrElse(value -> values.put(key, value), () -> failed.add(nameOf(row)));
                    if (isGlobal(row)) {
                        global.add(key);
                    } else {
                        global.remove(key);
                    }
                }
            }
            var bundle = new SecretsFor.Bundle(failed.isEmpty() ? values : Map.of(), failed);
            return new Opened(bundle, List.copyOf(global));
        });
    }

    /** The workspace's own value, not a global one; fails with INTERNAL when it cannot be decrypted. */
    public Future<Optional<Secret>> find(UUID workspaceId, String key) {
        return database.find(
                FIND,
                Tuple.of(workspaceId, key),
                row -> new Secret(
                        key,
                        open(row, workspaceId).orElseThrow(() -> SecretService.undecryptable(List.of(nameOf(row))))));
    }

    /** Notes who read their own values, and which global ones were read; those being changed just now are left out. */
    public Future<Void> noteReads(Map<UUID, Instant> workspaces, Map<String, Instant> globalKeys) {
        var own = workspaces.isEmpty()
                ? Future.succeededFuture()
                : database.query(NOTE_READS, Tuple.of(workspaces.keySet().toArray(UUID[]::new), times(workspaces)));
        var global = globalKeys.isEmpty()
                ? Future.succeededFuture()
                : database.query(
                        NOTE_GLOBAL_READS, Tuple.of(globalKeys.keySet().toArray(String[]::new), times(globalKeys)));
        return Future.join(own, global).mapEmpty();
    }

    /**
     * Seals with the present key what is sealed otherwise, a hundred rows a transaction: what is killed leaves rows of both kinds,
     * which all open, and the next run goes on. Rows that cannot be opened, or are being changed just now, are left alone.
     *
     * @param batchesMax after which it ends, with more to do
     */
    public Future<Rotated> rotate(String keyId, int batchesMax) {
        return database.transaction(transaction -> transaction
                        .query(TAKE_GLOBAL, Tuple.of(keyId))
                        .compose(rows -> reseal(transaction, rows, RESEAL_GLOBAL)))
                .compose(global -> rotate(keyId, BEFORE_ALL, "", batchesMax, global))
                .compose(rotated -> database.query(COUNT_OTHERWISE_SEALED, Tuple.of(keyId))
                        .map(rows -> new Rotated(rotated, rows.iterator().next().getLong(0))));
    }

    /** The batches after a place. */
    private Future<Integer> rotate(String keyId, UUID afterId, String afterKey, int batches, int rotated) {
        if (batches == 0) {
            return Future.succeededFuture(rotated);
        }
        return database.transaction(transaction -> transaction
                        .query(TAKE, Tuple.of(keyId, afterId, afterKey, BATCH))
                        .compose(rows -> reseal(transaction, rows, RESEAL).map(done -> Map.entry(rows, done))))
                .compose(batch -> {
                    int sum = rotated + batch.getValue();
                    Row last = null;
                    for (Row row : batch.getKey()) {
                        last = row;
                    }
                    return last == null
                            ? Future.succeededFuture(sum)
                            : rotate(keyId, last.getUUID("workspace_id"), last.getString("key"), batches - 1, sum);
                });
    }

    /** How many of them could be opened, and are sealed anew. */
    private Future<Integer> reseal(Sql transaction, RowSet<Row> rows, String statement) {
        List<Place> places = new ArrayList<>();
        List<Sealed> anew = new ArrayList<>();
        for (Row row : rows) {
            var place = new Place(row.getUUID("workspace_id"), row.getString("key"));
            open(row, place.workspaceId()).ifPresent(value -> {
                places.add(place);
                anew.add(vault.seal(place, value));
            });
        }
        if (places.isEmpty()) {
            return Future.succeededFuture(0);
        }
        return transaction.update(
                statement,
                Tuple.of(
                        places.stream().map(Place::workspaceId).toArray(UUID[]::new),
                        places.stream().map(Place::key).toArray(String[]::new),
                        anew.stream().map(Sealed::bytes).toArray(Buffer[]::new),
                        anew.stream().map(Sealed::version).toArray(Integer[]::new),
                        anew.stream().map(Sealed::keyId).toArray(String[]::new)));
    }

    private static Future<Void> requirePresent(Sql transaction, Optional<Grants> grants) {
        var branches = grants.map(Grants::branches).orElse(null);
        return branches == null
                ? Future.succeededFuture()
                : transaction
                        .query(COUNT_PRESENT, Tuple.of(array(branches)))
                        .compose(rows -> rows.iterator().next().getLong(0) == branches.size()
                                ? Future.succeededFuture()
                                : Future.failedFuture(Grants.invalid()));
    }

    private static Optional<Grants> grantsOf(RowSet<Row> rows) {
        return rows.stream().map(PgSecretStore::grantsOf).findFirst();
    }

    private static Grants grantsOf(Row row) {
        UUID @Nullable [] branches = row.getArrayOfUUIDs("granted_to");
        return branches == null ? Grants.EVERYBODY : new Grants(List.of(branches));
    }

    /** The branches of both; null for everybody. */
    private static @Nullable List<UUID> reach(Grants before, Grants after) {
        var old = before.branches();
        var present = after.branches();
        return old == null || present == null
                ? null
                : Stream.concat(old.stream(), present.stream()).distinct().toList();
    }

    private static UUID @Nullable [] array(@Nullable List<UUID> ids) {
        return ids == null ? null : ids.toArray(UUID[]::new);
    }

    /** As one value: a second argument that is an array would be taken for many. */
    private static Object times(Map<?, Instant> reads) {
        return reads.values().stream().map(PgValues::time).toArray(OffsetDateTime[]::new);
    }

    private Optional<String> open(Row row, @Nullable UUID workspaceId) {
        return vault.open(
                new Place(isGlobal(row) ? null : workspaceId, row.getString("key")),
                new Sealed(
                        row.getBuffer("encrypted_value"),
                        row.getInteger("encryption_version"),
                        row.getString("key_id")));
    }

    private static boolean isGlobal(Row row) {
        return row.getString("scope").equals("global");
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
                        row.getOffsetDateTime("updated_at").toInstant(),
                        PgValues.instant(row, "last_read_at"),
                        grantsOf(row)))
                .toList();
    }
}
