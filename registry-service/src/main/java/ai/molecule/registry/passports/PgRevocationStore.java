package ai.molecule.registry.passports;

import ai.molecule.common.db.Database;
import ai.molecule.registry.passports.Revocation.Kind;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Revoked passports in PostgreSQL (db/registry/V130__passport_revocations.sql). */
public record PgRevocationStore(Database database) {

    /** As many as may be in a year and a day. */
    private static final int ROWS_MAX = 10_000;

    /** A passport holds a year and a day at most; of two that revoke at once each leaves its row. */
    private static final String FORGET =
            "DELETE FROM passport_revocations WHERE revoked_at < now() - interval '367 days'";

    private static final String INSERT = """
            INSERT INTO passport_revocations (id, kind, value, reason, revoked_by, revoked_at)
            SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM passport_revocations) < $7
            RETURNING id, kind, value, reason, revoked_by, revoked_at
            """;

    private static final String LIST = """
            SELECT id, kind, value, reason, revoked_by, revoked_at FROM passport_revocations ORDER BY revoked_at DESC, id LIMIT $1
            """;

    /** Tokens tell their time in whole seconds: one of the same second counts as from before. */
    private static final String REVOKED = """
            SELECT EXISTS (SELECT 1 FROM passport_revocations
                WHERE (kind = 'passport' AND value = ANY ($1)) OR (kind = 'work' AND value = $2)
                    OR (kind = 'principal' AND value = $3 AND revoked_at >= $4))
            """;

    /** Empty where too many are kept. */
    Future<Optional<Revocation>> add(UUID id, Kind kind, String value, String reason, String revokedBy, Instant now) {
        return database.transaction(transaction -> transaction
                .run(FORGET)
                .compose(forgotten -> transaction.find(
                        INSERT,
                        Tuple.of(id, kind.wire(), value, reason, revokedBy)
                                .addValue(PgValues.time(now))
                                .addInteger(ROWS_MAX),
                        PgRevocationStore::revocation)));
    }

    /** The newest first. */
    Future<List<Revocation>> list(int limit) {
        return database.list(LIST, Tuple.of(limit), PgRevocationStore::revocation);
    }

    /**
     * @param ids of the passport and of those it was handed on from
     * @param issuedAt in whole seconds
     */
    Future<Boolean> isRevoked(List<UUID> ids, @Nullable String work, String principal, Instant issuedAt) {
        return database.get(
                REVOKED,
                Tuple.tuple()
                        .addArrayOfString(ids.stream().map(UUID::toString).toArray(String[]::new))
                        .addString(work)
                        .addString(principal)
                        .addValue(PgValues.time(issuedAt)),
                row -> row.getBoolean(0));
    }

    private static Revocation revocation(Row row) {
        return new Revocation(
                row.getUUID("id"),
                Kind.find(row.getString("kind")).orElseThrow(),
                row.getString("value"),
                row.getString("reason"),
                row.getString("revoked_by"),
                Objects.requireNonNull(PgValues.instant(row, "revoked_at")));
    }
}
