package ai.molecule.registry.secrets;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.restarts.PgRestartRequests;
import ai.molecule.registry.restarts.PgRestartRequests.Whom;
import ai.molecule.registry.secrets.Vault.Place;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Global secrets and whom they are granted to, in {@code global_secrets}. One change of them at a time. */
public record PgGlobalSecretStore(Database database, Vault vault, Set<String> ofProviders) {

    private static final String LIST =
            PgSecretHolders.HOLDERS + """
            SELECT key, 'global' AS scope, created_at, updated_at, CASE WHEN encryption_version IN (3, 4) THEN store END AS store,
                last_read_at, CASE WHEN last_read_at IS NOT NULL THEN last_read_by END AS last_read_by, granted_to,
                (SELECT (array_agg(workspace_id ORDER BY workspace_id))[1:%d] FROM holder JOIN above ON above.holder = workspace_id
                 WHERE %s) AS outdated
            FROM global_secrets AS secret ORDER BY key
            """.formatted(PgSecretHolders.OUTDATED_MAX, PgSecretHolders.HAS_OLDER);

    /** One change of global ones at a time: the count holds, and who could read one until now is known. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(66532861)";

    private static final String FIND = """
            SELECT key, 'global' AS scope, encrypted_value, encryption_version, key_id, granted_to FROM global_secrets WHERE key = $1
            """;

    private static final String COUNT_PRESENT =
            "SELECT count(*) FROM workspaces WHERE id = ANY ($1) AND status <> 'removed'";

    /** Under the lock. */
    private static final String SET = """
            INSERT INTO global_secrets
                (key, encrypted_value, encryption_version, key_id, store, granted_to, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
            ON CONFLICT (key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                key_id = excluded.key_id, store = excluded.store, granted_to = excluded.granted_to, updated_at = excluded.updated_at
            """;

    private static final String COUNT = "SELECT count(*) FROM global_secrets";

    private static final String DELETE = "DELETE FROM global_secrets WHERE key = $1 RETURNING granted_to";

    public Future<List<SecretEntry>> list() {
        return database.query(LIST, Tuple.of((Object) ofProviders.toArray(String[]::new)))
                .map(PgSealedRow::toEntries);
    }

    /**
     * With requests for the restarts of all whom it concerns; fails with CONFLICT when there would be too many, and with INVALID for
     * a grant to a workspace that is not there.
     *
     * @param grants empty leaves them as they are, and is for everybody where there was no such secret
     */
    public Future<Void> set(Secret secret, Optional<Grants> grants, Instant now) {
        var sealed = PgSealedRow.seal(vault, new Place(null, secret.key()), secret);
        return database.transaction(transaction -> transaction
                .query(LOCK)
                .compose(locked -> requirePresent(transaction, grants))
                .compose(present -> transaction.query(FIND, Tuple.of(secret.key())))
                .compose(found -> {
                    var before = grantsOf(found);
                    var after = grants.or(() -> before).orElse(Grants.EVERYBODY);
                    var rotation = before.equals(Optional.of(after)) ? rotation(found, secret) : Rotation.RESTARTS_ALL;
                    var reach = reach(before.orElse(after), after);
                    return transaction
                            .query(
                                    SET,
                                    Tuple.of(
                                            secret.key(),
                                            sealed.bytes(),
                                            sealed.version(),
                                            sealed.keyId(),
                                            secret.store(),
                                            array(after.branches()),
                                            PgValues.time(now)))
                            .compose(set -> transaction.query(COUNT))
                            .compose(PgSealedRow::requireBound)
                            .compose(within -> PgRestartRequests.askAllWithout(
                                    transaction, secret.key(), reach, rotation.whom(), now))
                            .compose(asked -> PgSecretHolders.changedAll(transaction, secret.key(), reach, now));
                }));
    }

    private Rotation rotation(RowSet<Row> found, Secret secret) {
        var before = found.stream()
                .findFirst()
                .flatMap(row -> PgSealedRow.openSecret(vault, row, null))
                .orElse(null);
        return Rotation.of(before, secret, ofProviders.contains(secret.key()));
    }

    public Future<Boolean> delete(String key, Instant now) {
        return database.transaction(transaction -> transaction
                .query(LOCK)
                .compose(locked -> transaction.query(DELETE, Tuple.of(key)))
                .map(PgGlobalSecretStore::grantsOf)
                .compose(deleted -> deleted.isPresent()
                        ? PgRestartRequests.askAllWithout(
                                        transaction, key, reach(deleted.get(), deleted.get()), Whom.ALL, now)
                                .compose(asked -> PgSecretHolders.changedAll(
                                        transaction, key, reach(deleted.get(), deleted.get()), now))
                                .map(true)
                        : Future.succeededFuture(false)));
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
        return rows.stream().map(PgSealedRow::grantsOf).findFirst();
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
}
