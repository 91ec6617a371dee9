package ai.molecule.registry.keys;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.secrets.Vault;
import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.jspecify.annotations.Nullable;

/** The table {@code organisation_keys}. */
public record PgOrganisationKeyStore(Database database, Vault vault) {

    private static final String LIST = """
            SELECT kid, public_key, encrypted_value, encryption_version, key_id, signs_from, retires_at
            FROM organisation_keys ORDER BY signs_from DESC, kid
            """;

    /** One replica at a time makes keys; who comes second sees the first one's. */
    private static final String LOCK = "LOCK TABLE organisation_keys IN SHARE ROW EXCLUSIVE MODE";

    private static final String INSERT = """
            INSERT INTO organisation_keys (kid, public_key, encrypted_value, encryption_version, key_id, created_at, signs_from)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """;

    private static final String RETIRE_OTHERS = """
            UPDATE organisation_keys SET retires_at = $2 WHERE kid <> $1 AND (retires_at IS NULL OR retires_at > $2)
            """;

    private static final String ERASE = """
            UPDATE organisation_keys SET encrypted_value = NULL, encryption_version = NULL, key_id = NULL
            WHERE retires_at <= $1 AND encrypted_value IS NOT NULL
            """;

    /** Newest first; retired ones too. */
    Future<List<OrganisationKey>> list() {
        return database.list(LIST, Tuple.tuple(), this::toKey);
    }

    /**
     * Adds a key unless {@code refused} says why not, of those there are when nobody else makes one.
     *
     * @param retiresOthersAt when all before it are believed no more
     */
    Future<Void> add(
            OrganisationKey key,
            Instant retiresOthersAt,
            Instant now,
            Function<List<OrganisationKey>, Optional<ApiError>> refused) {
        return database.transaction(transaction -> transaction
                .run(LOCK)
                .compose(locked -> transaction.list(LIST, Tuple.tuple(), this::toKey))
                .compose(known -> refused.apply(known)
                        .<Future<Void>>map(Future::failedFuture)
                        .orElseGet(() -> insert(transaction, key, now))
                        .compose(inserted ->
                                transaction.run(RETIRE_OTHERS, Tuple.of(key.kid(), PgValues.time(retiresOthersAt))))));
    }

    /** Erases the private parts of keys that are retired. */
    Future<Void> sweep(Instant now) {
        return database.run(ERASE, Tuple.of(PgValues.time(now)));
    }

    private Future<Void> insert(Sql transaction, OrganisationKey key, Instant now) {
        var privateKey = Objects.requireNonNull(key.privateKey());
        var sealed = vault.seal(
                Place.organisationKey(key.kid()), Base64.getEncoder().encodeToString(privateKey.getEncoded()));
        return transaction.run(
                INSERT,
                Tuple.of(
                        key.kid(),
                        Buffer.buffer(key.publicKey()),
                        sealed.bytes(),
                        sealed.version(),
                        sealed.keyId(),
                        PgValues.time(now),
                        PgValues.time(key.signsFrom())));
    }

    private OrganisationKey toKey(Row row) {
        String kid = row.getString("kid");
        return new OrganisationKey(
                kid,
                row.getBuffer("public_key").getBytes(),
                privateOf(row, kid),
                Objects.requireNonNull(PgValues.instant(row, "signs_from")),
                PgValues.instant(row, "retires_at"));
    }

    private @Nullable Ed25519PrivateKeyParameters privateOf(Row row, String kid) {
        var bytes = row.getBuffer("encrypted_value");
        if (bytes == null) {
            return null;
        }
        return vault.open(
                        Place.organisationKey(kid),
                        new Sealed(bytes, row.getInteger("encryption_version"), row.getString("key_id")))
                .map(text -> new Ed25519PrivateKeyParameters(Base64.getDecoder().decode(text)))
                .orElse(null);
    }
}
