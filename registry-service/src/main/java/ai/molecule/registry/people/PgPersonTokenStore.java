package ai.molecule.registry.people;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Tokens of people's, in {@code person_tokens}. */
public record PgPersonTokenStore(Database database) {

    private static final String LIST = """
            SELECT * FROM person_tokens WHERE person_id = $1 AND revoked_at IS NULL AND expires_at > $2
            ORDER BY created_at DESC, id LIMIT $3
            """;

    /** Two that come together may make one too many; no third does. */
    private static final String INSERT = """
            INSERT INTO person_tokens (id, person_id, token_hash, prefix, name, role, branch, created_at, expires_at)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
            WHERE (SELECT count(*) FROM person_tokens WHERE person_id = $2 AND revoked_at IS NULL AND expires_at > $8) < $10
            """;

    /** Of two racing revocations one finds the row still live. */
    private static final String REVOKE = """
            UPDATE person_tokens SET revoked_at = $3 WHERE id = $1 AND person_id = $2 AND revoked_at IS NULL AND expires_at > $3
            """;

    private static final String REVOKE_SHOWN = """
            UPDATE person_tokens SET revoked_at = $2 WHERE token_hash = $1 AND revoked_at IS NULL
            """;

    /** What is long over tells nobody anything; who made it is in the record. */
    private static final String FORGET = "DELETE FROM person_tokens WHERE expires_at < $1 OR revoked_at < $1";

    public Future<List<PersonToken>> list(UUID person, Instant now, int limit) {
        return database.list(LIST, Tuple.of(person, PgValues.time(now), limit), PgPersonTokenStore::toToken);
    }

    /** Fails with RATE_LIMITED when the person has {@code most} live ones. @param token in clear; only its hash is kept */
    public Future<Void> insert(UUID person, PersonToken described, String token, int most) {
        return insert(database, person, described, token, most);
    }

    /** As above, within a transaction. */
    public static Future<Void> insert(Sql sql, UUID person, PersonToken described, String token, int most) {
        return sql.changes(
                        INSERT,
                        Tuple.of(
                                described.id(),
                                person,
                                Buffer.buffer(Tokens.hash(token)),
                                described.prefix(),
                                described.name(),
                                described.role().wire(),
                                described.branch(),
                                PgValues.time(described.createdAt()),
                                PgValues.time(described.expiresAt()),
                                most))
                .compose(made -> made
                        ? Future.succeededFuture()
                        : Future.failedFuture(new ApiError(
                                ApiError.Kind.RATE_LIMITED, "maximum %d active tokens per person".formatted(most))));
    }

    /** False when the person has no such live token. */
    public Future<Boolean> revoke(UUID person, UUID id, Instant now) {
        return database.changes(REVOKE, Tuple.of(id, person, PgValues.time(now)));
    }

    /** The one that was shown. */
    public Future<Boolean> revoke(String token, Instant now) {
        return database.changes(REVOKE_SHOWN, Tuple.of(Buffer.buffer(Tokens.hash(token)), PgValues.time(now)));
    }

    public Future<Void> forget(Instant before) {
        return database.run(FORGET, Tuple.of(PgValues.time(before)));
    }

    private static PersonToken toToken(Row row) {
        return new PersonToken(
                row.getUUID("id"),
                row.getString("prefix"),
                row.getString("name"),
                Role.find(row.getString("role")).orElseThrow(),
                row.getUUID("branch"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "expires_at")),
                PgValues.instant(row, "last_used_at"));
    }
}
