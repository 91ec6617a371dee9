package ai.molecule.registry.orgtokens;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Org tokens, in the table {@code org_tokens}. */
public record PgOrgTokenStore(Database database) {

    private static final String LIST = """
            SELECT id, prefix, name, created_by, created_at, last_used_at FROM org_tokens
            WHERE revoked_at IS NULL
            ORDER BY created_at DESC, id
            LIMIT $1
            """;

    /** Keys are fresh. */
    private static final String INSERT = """
            INSERT INTO org_tokens (id, token_hash, prefix, name, created_by, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """;

    /** Of two racing revocations one finds the row still live. */
    private static final String REVOKE = """
            UPDATE org_tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL
            """;

    /** The newest live ones, newest first, at most {@code limit}. */
    public Future<List<OrgToken>> list(int limit) {
        return database.list(LIST, Tuple.of(limit), PgOrgTokenStore::toToken);
    }

    /** @param token in clear; only its hash is kept */
    public Future<Void> insert(OrgToken description, String token) {
        return database.run(
                INSERT,
                Tuple.of(
                        description.id(),
                        Buffer.buffer(Tokens.hash(token)),
                        description.prefix(),
                        description.name(),
                        description.createdBy(),
                        PgValues.time(description.createdAt())));
    }

    /** False when there is no such live token. */
    public Future<Boolean> revoke(UUID id, Instant now) {
        return database.changes(REVOKE, Tuple.of(id, PgValues.time(now)));
    }

    private static OrgToken toToken(Row row) {
        return new OrgToken(
                row.getUUID("id"),
                row.getString("prefix"),
                row.getString("name"),
                row.getString("created_by"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                PgValues.instant(row, "last_used_at"));
    }
}
