package ai.molecule.registry.secrets;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Seals anew, in {@code workspace_secrets}, {@code global_secrets}, {@code organisation_keys} and {@code kept_secrets}, when there is another key. */
public record PgSecretRotation(Database database, Vault vault) {

    /** Where one run of {@link #rotate} came to; {@code remaining} are still sealed otherwise, or not sealed at all. */
    public record Rotated(int rotated, long remaining) {}

    private static final String OTHERWISE_SEALED = "(encryption_version NOT IN (2, 3) OR key_id IS DISTINCT FROM $1)";

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

    /** There are a few. What is retired has nothing to seal. */
    private static final String TAKE_ORGANISATION = """
            SELECT NULL::uuid AS workspace_id, kid AS key, 'organisation' AS scope, encrypted_value, encryption_version, key_id
            FROM organisation_keys WHERE encrypted_value IS NOT NULL AND %s FOR NO KEY UPDATE SKIP LOCKED
            """.formatted(OTHERWISE_SEALED);

    /** A batch; what is left is the next run's. */
    private static final String TAKE_KEPT = """
            SELECT NULL::uuid AS workspace_id, key, 'kept' AS scope, encrypted_value, encryption_version, key_id
            FROM kept_secrets WHERE %s ORDER BY key LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED
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

    private static final String RESEAL_ORGANISATION = """
            UPDATE organisation_keys AS secret
            SET encrypted_value = anew.sealed, encryption_version = anew.version, key_id = anew.key_id
            FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::integer[], $5::text[])
                AS anew (workspace_id, key, sealed, version, key_id)
            WHERE secret.kid = anew.key
            """;

    private static final String RESEAL_KEPT = """
            UPDATE kept_secrets AS secret
            SET encrypted_value = anew.sealed, encryption_version = anew.version, key_id = anew.key_id
            FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::integer[], $5::text[])
                AS anew (workspace_id, key, sealed, version, key_id)
            WHERE secret.key = anew.key
            """;

    private static final String COUNT_OTHERWISE_SEALED = """
            SELECT (SELECT count(*) FROM workspace_secrets WHERE %1$s) + (SELECT count(*) FROM global_secrets WHERE %1$s)
                + (SELECT count(*) FROM kept_secrets WHERE %1$s)
                + (SELECT count(*) FROM organisation_keys WHERE encrypted_value IS NOT NULL AND retires_at IS NULL AND %1$s)
            """.formatted(OTHERWISE_SEALED);

    private static final UUID BEFORE_ALL = new UUID(0, 0);
    private static final int BATCH = 100;

    /**
     * Seals with the present key what is sealed otherwise, a hundred rows a transaction: what is killed leaves rows of both kinds,
     * which all open, and the next run goes on. Rows that cannot be opened, or are being changed just now, are left alone.
     *
     * @param batchesMax after which it ends, with more to do
     */
    public Future<Rotated> rotate(String keyId, int batchesMax) {
        return database.transaction(transaction -> transaction
                        .query(TAKE_GLOBAL, Tuple.of(keyId))
                        .compose(rows -> reseal(transaction, rows, RESEAL_GLOBAL))
                        .compose(global -> transaction
                                .query(TAKE_ORGANISATION, Tuple.of(keyId))
                                .compose(rows -> reseal(transaction, rows, RESEAL_ORGANISATION))
                                .map(organisation -> global + organisation))
                        .compose(before -> transaction
                                .query(TAKE_KEPT, Tuple.of(keyId))
                                .compose(rows -> reseal(transaction, rows, RESEAL_KEPT))
                                .map(kept -> before + kept)))
                .compose(rotated -> rotate(keyId, BEFORE_ALL, "", batchesMax, rotated))
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
            var place = PgSealedRow.placeOf(row, row.getUUID("workspace_id"));
            PgSealedRow.open(vault, row, place.workspaceId()).ifPresent(value -> {
                places.add(place);
                anew.add(PgSealedRow.isReference(row) ? vault.sealReference(place, value) : vault.seal(place, value));
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
}
