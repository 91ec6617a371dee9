package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.audit.PgAudit;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.restarts.PgRestartRequests;
import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import ai.molecule.registry.versions.PgChangedWith;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace's own secrets, in {@code workspace_secrets}, sealed on the way in, and what its agent is told: these and the global ones
 * it may read, opened on the way out.
 */
public record PgSecretStore(Database database, Vault vault, Set<String> ofProviders) {

    /**
     * What an agent may be told: values, and references to values, which are still to be looked up.
     *
     * @param failedKeys what cannot be opened, as {@code global:KEY} or {@code workspace:KEY}
     * @param globalKeys those that are global ones
     * @param setBy of each of the others the {@link SetBy} that its row has
     * @param version how many changes these are the values of, see {@link PgSecretHolders}
     */
    record Opened(
            Map<String, Secret> secrets,
            List<String> failedKeys,
            Set<String> globalKeys,
            Map<String, Integer> setBy,
            boolean managed,
            long version) {}

    /** The global ones that the workspace $1 may read: those granted to it or to one above it, and where it is of no tenant those for everybody. */
    private static final String VISIBLE = """
            WITH RECURSIVE branch (id, parent_id) AS (
                SELECT id, parent_id FROM workspaces WHERE id = $1
                UNION
                SELECT above.id, above.parent_id FROM workspaces AS above JOIN branch ON above.id = branch.parent_id
            ), visible AS (
                SELECT * FROM global_secrets
                WHERE granted_to IS NULL AND NOT EXISTS (SELECT 1 FROM workspaces JOIN branch USING (id) WHERE tenant IS NOT NULL)
                    OR granted_to && ARRAY(SELECT id FROM branch)
            )
            """;

    /** One statement and so one snapshot: no key is missing or there twice. */
    private static final String LIST = VISIBLE + """
            SELECT listed.key, listed.scope, listed.created_at, listed.updated_at, listed.store, listed.last_read_at,
                CASE WHEN listed.last_read_by = $1 THEN $1 END AS last_read_by, NULL::uuid[] AS granted_to,
                CASE WHEN listed.updated_at >= outdated.changed_at AND NOT (outdated.managed AND listed.key = ANY ($2)) THEN ARRAY[$1] END
                    AS outdated
            FROM (
                SELECT key, 'workspace' AS scope, created_at, updated_at, CASE WHEN encryption_version IN (3, 4) THEN store END AS store,
                    last_read_at, CASE WHEN last_read_at IS NOT NULL THEN workspace_id END AS last_read_by
                FROM workspace_secrets WHERE workspace_id = $1
                UNION ALL
                SELECT key, 'global', created_at, updated_at, CASE WHEN encryption_version IN (3, 4) THEN store END, last_read_at, last_read_by
                FROM visible AS global
                WHERE NOT EXISTS (SELECT 1 FROM workspace_secrets AS own WHERE own.workspace_id = $1 AND own.key = global.key)
            ) AS listed
            LEFT JOIN (
                SELECT changed_at, managed FROM secret_holders JOIN workspaces ON id = workspace_id
                WHERE workspace_id = $1 AND told < secret_holders.version AND %s
            ) AS outdated ON true
            ORDER BY listed.scope DESC, listed.key
            """.formatted(PgSecretHolders.RUNS);

    /** The global ones first, so that the workspace's own cover them. One snapshot; no row without the workspace. */
    private static final String OPEN = VISIBLE + """
            SELECT workspaces.managed, coalesce(holder.version, 0) AS version, secret.key, secret.scope, secret.encrypted_value,
                secret.encryption_version, secret.key_id, secret.set_by
            FROM workspaces LEFT JOIN secret_holders AS holder ON holder.workspace_id = workspaces.id LEFT JOIN (
                SELECT key, 'global' AS scope, encrypted_value, encryption_version, key_id, NULL AS set_by FROM visible
                UNION ALL
                SELECT key, 'workspace' AS scope, encrypted_value, encryption_version, key_id, set_by FROM workspace_secrets
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
                (workspace_id, key, encrypted_value, encryption_version, key_id, store, created_at, updated_at, set_by)
            SELECT $1, key, sealed, version, key_id, store, $7, $7, $8
            FROM unnest($2::text[], $3::bytea[], $4::integer[], $5::text[], $6::text[]) AS secret (key, sealed, version, key_id, store)
            ORDER BY key
            ON CONFLICT (workspace_id, key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                key_id = excluded.key_id, store = excluded.store, updated_at = excluded.updated_at, set_by = excluded.set_by
            """;

    private static final String FIND_ALL = """
            SELECT key, 'workspace' AS scope, encrypted_value, encryption_version, key_id FROM workspace_secrets
            WHERE workspace_id = $1 AND key = ANY ($2)
            """;

    private static final String COUNT = "SELECT count(*) FROM workspace_secrets WHERE workspace_id = $1";

    /** Runs under the workspace's row lock. */
    private static final String DELETE = "DELETE FROM workspace_secrets WHERE workspace_id = $1 AND key = $2";

    /** The workspace's own by key, then the global ones it may read and does not cover by key. */
    public Future<List<SecretEntry>> list(UUID workspaceId) {
        return database.query(LIST, Tuple.of(workspaceId, (Object) ofProviders.toArray(String[]::new)))
                .map(PgSealedRow::toEntries);
    }

    /**
     * Stores all or none; fails with NOT_FOUND for an unknown or removed workspace and CONFLICT when it would have too many.
     *
     * @param restart whether to ask for a restart in the same transaction
     */
    public Future<Void> set(
            UUID workspaceId, List<Secret> secrets, boolean restart, SetBy setBy, String changedWith, Instant now) {
        return database.transaction(transaction -> PgChangedWith.say(transaction, changedWith)
                .compose(said -> sayModel(transaction, secrets))
                .compose(said -> transaction.query(LOCK, Tuple.of(workspaceId)))
                .compose(rows -> rows.size() > 0
                        ? rotation(transaction, workspaceId, secrets)
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(rotation -> insert(transaction, workspaceId, secrets, setBy, now)
                        .compose(set -> transaction.query(COUNT, Tuple.of(workspaceId)))
                        .compose(PgSealedRow::requireBound)
                        .compose(within -> PgSecretHolders.changed(transaction, workspaceId, now))
                        .compose(noted -> restart
                                ? PgRestartRequests.ask(transaction, workspaceId, rotation.whom(), now)
                                        .<Void>mapEmpty()
                                : Future.succeededFuture())));
    }

    /** Under the workspace's row lock, before they are set. */
    private Future<Rotation> rotation(Sql transaction, UUID workspaceId, List<Secret> secrets) {
        return transaction
                .query(FIND_ALL, Tuple.of(workspaceId, (Object) Sql.column(secrets, Secret::key, String[]::new)))
                .map(rows -> {
                    Map<String, Secret> before = new TreeMap<>();
                    rows.forEach(row -> PgSealedRow.openSecret(vault, row, workspaceId)
                            .ifPresent(secret -> before.put(secret.key(), secret)));
                    return secrets.stream()
                            .map(secret ->
                                    Rotation.of(before.get(secret.key()), secret, ofProviders.contains(secret.key())))
                            .reduce(Rotation.RESTARTS_NOBODY, Rotation::and);
                });
    }

    /** Another model, or null for the runtime's own, as part of a greater change, which says who makes it. */
    public Future<Void> chooseModel(Sql transaction, UUID workspaceId, @Nullable String model, Instant now) {
        return PgChangedWith.sayModel(transaction, model)
                .compose(said -> model == null
                        ? transaction.run(DELETE, Tuple.of(workspaceId, ModelRoutes.KEY))
                        : insert(
                                        transaction,
                                        workspaceId,
                                        List.of(Secret.of(ModelRoutes.KEY, model)),
                                        SetBy.ORGANISATION,
                                        now)
                                .compose(set -> transaction.query(COUNT, Tuple.of(workspaceId)))
                                .compose(PgSealedRow::requireBound))
                .compose(set -> PgSecretHolders.changed(transaction, workspaceId, now))
                .compose(set -> PgRestartRequests.ask(transaction, workspaceId, now))
                .mapEmpty();
    }

    /** The one secret whose value is a setting that everybody who may list secrets may read. */
    private static Future<Void> sayModel(Sql transaction, List<Secret> secrets) {
        return secrets.stream()
                .filter(secret -> secret.key().equals(ModelRoutes.KEY))
                .reduce((one, later) -> later)
                .map(secret -> PgChangedWith.sayModel(transaction, secret.value()))
                .orElseGet(Future::succeededFuture);
    }

    /** Stores them within the transaction that creates their workspace. */
    public Future<Void> insert(Sql transaction, UUID workspaceId, List<Secret> secrets, SetBy setBy, Instant now) {
        if (secrets.isEmpty()) {
            return Future.succeededFuture();
        }
        var sealed = secrets.stream()
                .map(secret -> PgSealedRow.seal(vault, new Place(workspaceId, secret.key()), secret))
                .toList();
        return transaction.run(
                SET,
                Tuple.tuple()
                        .addUUID(workspaceId)
                        .addArrayOfString(secrets.stream().map(Secret::key).toArray(String[]::new))
                        .addArrayOfBuffer(sealed.stream().map(Sealed::bytes).toArray(Buffer[]::new))
                        .addArrayOfInteger(sealed.stream().map(Sealed::version).toArray(Integer[]::new))
                        .addArrayOfString(sealed.stream().map(Sealed::keyId).toArray(String[]::new))
                        .addArrayOfString(secrets.stream().map(Secret::store).toArray(String[]::new))
                        .addOffsetDateTime(PgValues.time(now))
                        .addShort((short) setBy.ordinal()));
    }

    /** With a request for a restart; false when there is none of that key. */
    public Future<Boolean> delete(UUID workspaceId, String key, String changedWith, Instant now) {
        return database.transaction(transaction -> PgChangedWith.say(transaction, changedWith)
                .compose(said -> key.equals(ModelRoutes.KEY)
                        ? PgChangedWith.sayModel(transaction, null)
                        : Future.<Void>succeededFuture())
                .compose(said -> transaction.query(LOCK, Tuple.of(workspaceId)))
                .compose(locked -> transaction.query(DELETE, Tuple.of(workspaceId, key)))
                .map(rows -> rows.rowCount() > 0)
                .compose(deleted -> deleted
                        ? PgSecretHolders.changed(transaction, workspaceId, now)
                                .compose(noted -> PgRestartRequests.ask(transaction, workspaceId, now))
                                .map(true)
                        : Future.succeededFuture(false)));
    }

    /** The global ones it may read, its own over them; fails with NOT_FOUND for an unknown or removed workspace. */
    Future<Opened> open(UUID workspaceId) {
        return database.query(OPEN, Tuple.of(workspaceId)).map(rows -> opened(workspaceId, rows));
    }

    /**
     * Records that somebody got these. What nobody is told of need not be recorded.
     *
     * @param version what its agent has now; null where it is not its agent that got them
     * @param follower see {@link PgSecretHolders#told}
     */
    Future<Void> handedOut(UUID workspaceId, Set<String> keys, @Nullable Long version, @Nullable Integer follower) {
        if (keys.isEmpty() && version == null) {
            return Future.succeededFuture();
        }
        return database.transaction(transaction -> audit(transaction, workspaceId, keys)
                .compose(recorded -> version == null
                        ? Future.succeededFuture()
                        : PgSecretHolders.told(transaction, workspaceId, version, follower)));
    }

    private static Future<?> audit(Sql transaction, UUID workspaceId, Set<String> keys) {
        if (keys.isEmpty()) {
            return Future.succeededFuture();
        }
        var detail = Json.object();
        keys.forEach(detail.putArray("keys")::add);
        return PgAudit.done(transaction, "secret.read", workspaceId, null, detail);
    }

    private Opened opened(UUID workspaceId, RowSet<Row> rows) {
        if (rows.size() == 0) {
            throw ApiError.notFound("workspace not found");
        }
        Map<String, Secret> secrets = new TreeMap<>();
        Set<String> global = new TreeSet<>();
        Map<String, Integer> setBy = new TreeMap<>();
        List<String> failed = new ArrayList<>();
        for (Row row : rows) {
            String key = row.getString("key");
            if (key != null) {
                PgSealedRow.openSecret(vault, row, workspaceId)
                        .ifPresentOrElse(secret -> secrets.put(key, secret), () -> failed.add(PgSealedRow.nameOf(row)));
                if (PgSealedRow.isGlobal(row)) {
                    global.add(key);
                } else {
                    global.remove(key);
                    setBy.put(key, row.getShort("set_by").intValue());
                }
            }
        }
        var first = rows.iterator().next();
        return new Opened(secrets, failed, global, setBy, first.getBoolean("managed"), first.getLong("version"));
    }

    /** The workspace's own value, not a global one; fails with INTERNAL when it cannot be decrypted. */
    public Future<Optional<Secret>> find(UUID workspaceId, String key) {
        return database.find(
                FIND,
                Tuple.of(workspaceId, key),
                row -> PgSealedRow.openSecret(vault, row, workspaceId)
                        .orElseThrow(() -> SecretService.undecryptable(List.of(PgSealedRow.nameOf(row)))));
    }
}
