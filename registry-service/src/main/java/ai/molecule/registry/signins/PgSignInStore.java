package ai.molecule.registry.signins;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sign-ins under way, in {@code sign_ins}. */
public record PgSignInStore(Database database) {

    /**
     * One that went to a provider.
     *
     * @param linkHash of the link by which somebody comes for the first time; null for none
     */
    record UnderWay(String provider, String nonce, String verifier, byte @Nullable [] linkHash) {

        /** What the page keeps of the session that it becomes: of the one secret that neither the address nor a cookie of a sign-in has. */
        String csrfToken() {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Tokens.hash("csrf_token " + verifier));
        }
    }

    /**
     * Keys are fresh; of the others only so many stay, so that nobody fills the table: the newest of each network before the second newest of
     * any, so that nobody pushes out those of other networks either.
     */
    private static final String INSERT = """
            WITH crowded AS (
                DELETE FROM sign_ins WHERE state_hash IN (
                    SELECT state_hash FROM sign_ins
                    ORDER BY row_number() OVER (PARTITION BY network ORDER BY created_at DESC), created_at DESC OFFSET $8)
            )
            INSERT INTO sign_ins (state_hash, provider, nonce, verifier, link_hash, created_at, expires_at, network)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $9)
            """;

    /** Of two that come back with it one finds it. */
    private static final String TAKE = "DELETE FROM sign_ins WHERE state_hash = $1 AND expires_at > $2 RETURNING *";

    private static final String FORGET = "DELETE FROM sign_ins WHERE expires_at <= $1";

    Future<Void> insert(
            byte[] stateHash, UnderWay signIn, String network, Instant now, Instant expiresAt, int othersMax) {
        return database.run(
                INSERT,
                Tuple.of(
                        Buffer.buffer(stateHash),
                        signIn.provider,
                        signIn.nonce,
                        signIn.verifier,
                        signIn.linkHash == null ? null : Buffer.buffer(signIn.linkHash),
                        PgValues.time(now),
                        PgValues.time(expiresAt),
                        othersMax,
                        network));
    }

    Future<Optional<UnderWay>> take(byte[] stateHash, Instant now) {
        return database.find(TAKE, Tuple.of(Buffer.buffer(stateHash), PgValues.time(now)), row -> {
            @Nullable Buffer link = row.getBuffer("link_hash");
            return new UnderWay(
                    row.getString("provider"),
                    row.getString("nonce"),
                    row.getString("verifier"),
                    link == null ? null : link.getBytes());
        });
    }

    public Future<Void> forget(Instant now) {
        return database.run(FORGET, Tuple.of(PgValues.time(now)));
    }
}
