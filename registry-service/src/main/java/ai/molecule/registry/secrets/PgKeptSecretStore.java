package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.db.Database;
import ai.molecule.registry.secrets.Vault.Place;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** The platform's own secrets, in {@code kept_secrets}: for other services, never for agents. */
public record PgKeptSecretStore(Database database, Vault vault) {

    private static final int MAX = 10_000;

    /** A key in use may be set anew whatever the number. */
    private static final String SET = """
            INSERT INTO kept_secrets (key, encrypted_value, encryption_version, key_id, updated_at)
            SELECT $1, $2, $3, $4, now()
            WHERE EXISTS (SELECT 1 FROM kept_secrets WHERE key = $1) OR (SELECT count(*) FROM kept_secrets) < $5
            ON CONFLICT (key) DO UPDATE
            SET encrypted_value = excluded.encrypted_value, encryption_version = excluded.encryption_version,
                key_id = excluded.key_id, updated_at = excluded.updated_at
            """;

    private static final String DELETE = "DELETE FROM kept_secrets WHERE key = $1";

    private static final String FIND = """
            SELECT NULL::uuid AS workspace_id, key, 'kept' AS scope, encrypted_value, encryption_version, key_id
            FROM kept_secrets WHERE key = $1
            """;

    /** Serves {@link KeepSecret}; fails with CONFLICT where there are too many. */
    public Future<KeepSecret.Kept> keep(KeepSecret secret) {
        var value = secret.value();
        if (value == null) {
            return database.run(DELETE, Tuple.of(secret.key())).map(new KeepSecret.Kept());
        }
        var sealed = vault.seal(Place.kept(secret.key()), value);
        return database.changes(SET, Tuple.of(secret.key(), sealed.bytes(), sealed.version(), sealed.keyId(), MAX))
                .map(stored -> {
                    if (!stored) {
                        throw ApiError.conflict("the platform keeps too many secrets of its own");
                    }
                    return new KeepSecret.Kept();
                });
    }

    /** Serves {@link KeptSecret}. */
    public Future<KeptSecret.Value> find(KeptSecret question) {
        return database.find(FIND, Tuple.of(question.key()), row -> PgSealedRow.open(vault, row, null))
                .map(found ->
                        new KeptSecret.Value(found.flatMap(opened -> opened).orElse(null)));
    }
}
