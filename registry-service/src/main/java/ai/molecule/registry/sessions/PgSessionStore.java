package ai.molecule.registry.sessions;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** The table {@code sessions}. Tokens come in clear; only their hashes are kept. */
public record PgSessionStore(Database database) {

    /** Keys are fresh; of the others only the newest stay, so that nobody fills the table. */
    private static final String INSERT = """
            WITH crowded AS (
                DELETE FROM sessions
                WHERE token_hash IN (SELECT token_hash FROM sessions ORDER BY created_at DESC OFFSET $5)
            )
            INSERT INTO sessions (token_hash, made_with, created_at, expires_at) VALUES ($1, $2, $3, $4)
            """;

    private static final String EXPIRY = "SELECT expires_at FROM sessions WHERE token_hash = $1 AND expires_at > $2";

    /** Of two racing ends one finds the row. */
    private static final String END = "DELETE FROM sessions WHERE token_hash = $1";

    private static final String END_OVER = "DELETE FROM sessions WHERE expires_at <= $1 OR made_with <> $2";

    Future<Void> insert(String token, int madeWith, Instant now, Instant expiresAt, int othersMax) {
        return database.run(
                INSERT, Tuple.of(hash(token), madeWith, PgValues.time(now), PgValues.time(expiresAt), othersMax));
    }

    Future<Optional<Instant>> expiryOf(String token, Instant now) {
        return database.find(
                EXPIRY,
                Tuple.of(hash(token), PgValues.time(now)),
                row -> Objects.requireNonNull(PgValues.instant(row, "expires_at")));
    }

    /** False when there was none. */
    Future<Boolean> end(String token) {
        return database.changes(END, Tuple.of(hash(token)));
    }

    /** Ends those whose time is over and those that another {@code ADMIN_TOKEN} made; false when there were none. */
    Future<Boolean> endOver(int madeWith, Instant now) {
        return database.changes(END_OVER, Tuple.of(PgValues.time(now), madeWith));
    }

    private static Buffer hash(String token) {
        return Buffer.buffer(Tokens.hash(token));
    }
}
