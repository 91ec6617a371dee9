package ai.molecule.registry.tokens;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tokens, in {@code workspace_tokens} and {@code token_tombstones}; verdicts and uses look at {@code org_tokens} too. */
public final class PgTokenStore {

    /** What became of a workspace whose token somebody shows, also when the token holds no more. */
    public enum Fate {
        REMOVED,
        QUARANTINED,
        /** Neither, or the token was never its. */
        NONE
    }

    private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);

    /**
     * One statement, one snapshot: the counts and the holder belong together. {@code NOT MATERIALIZED}, because otherwise every
     * verification would collect all live tokens first.
     */
    private static final String VERIFY = """
            WITH live AS NOT MATERIALIZED (
                SELECT workspace_id, incarnation, token_hash FROM workspace_tokens
                WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
            )
            SELECT held.workspace_id, held.incarnation, held.standing, org_tokens.prefix AS organisation_prefix,
                   EXISTS (SELECT 1 FROM live) AS any_live,
                   EXISTS (SELECT 1 FROM live WHERE workspace_id = $2) AS workspace_live
            FROM (SELECT 1) AS one
            LEFT JOIN (
                SELECT live.workspace_id, live.incarnation,
                       CASE WHEN workspaces.desired = 'paused' THEN 'SUSPENDED'
                            WHEN workspaces.admitted THEN 'ADMITTED' ELSE 'UNADMITTED' END AS standing
                FROM live JOIN workspaces ON workspaces.id = live.workspace_id
                WHERE live.token_hash = $1 AND workspaces.status <> 'removed'
            ) AS held ON true
            LEFT JOIN org_tokens ON org_tokens.token_hash = $1 AND org_tokens.revoked_at IS NULL
            """;

    /** The same for many; {@code LIMIT} keeps the planner at one look into each index a question. */
    private static final String VERIFY_ALL = """
            WITH live AS NOT MATERIALIZED (
                SELECT workspace_id, incarnation, token_hash FROM workspace_tokens
                WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
            )
            SELECT held.workspace_id, held.incarnation, held.standing, organisation.prefix AS organisation_prefix,
                   EXISTS (SELECT 1 FROM live) AS any_live, own.live IS NOT NULL AS workspace_live
            FROM unnest($1::bytea[], $2::uuid[]) WITH ORDINALITY AS asked (token_hash, workspace_id, nth)
            LEFT JOIN LATERAL (
                SELECT live.workspace_id, live.incarnation,
                       CASE WHEN workspaces.desired = 'paused' THEN 'SUSPENDED'
                            WHEN workspaces.admitted THEN 'ADMITTED' ELSE 'UNADMITTED' END AS standing
                FROM live JOIN workspaces ON workspaces.id = live.workspace_id
                WHERE live.token_hash = asked.token_hash AND workspaces.status <> 'removed' LIMIT 1
            ) AS held ON true
            LEFT JOIN LATERAL (SELECT true AS live FROM live WHERE workspace_id = asked.workspace_id LIMIT 1) AS own ON true
            LEFT JOIN LATERAL (
                SELECT prefix FROM org_tokens
                WHERE org_tokens.token_hash = asked.token_hash AND revoked_at IS NULL LIMIT 1
            ) AS organisation ON true
            ORDER BY asked.nth
            """;

    private static final String FATE = """
            SELECT EXISTS (SELECT 1 FROM token_tombstones WHERE token_hash = $1 AND workspace_id = $2)
                   AND NOT EXISTS (SELECT 1 FROM workspaces WHERE id = $2 AND status <> 'removed') AS removed,
                   EXISTS (SELECT 1 FROM workspace_tokens JOIN workspaces ON workspaces.id = workspace_id
                           WHERE token_hash = $1 AND workspace_id = $2 AND quarantined) AS quarantined
            """;

    private static final String EARLIER_START = """
            SELECT EXISTS (
                SELECT 1 FROM workspace_tokens AS token JOIN workspaces AS workspace ON workspace.id = token.workspace_id
                WHERE token.token_hash = $1 AND token.workspace_id = $2 AND token.incarnation < workspace.incarnation
            )
            """;

    private static final String LIST = """
            SELECT id, prefix, created_at, last_used_at FROM workspace_tokens
            WHERE workspace_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)
            ORDER BY created_at DESC, id
            LIMIT $2 OFFSET $3
            """;

    /** The lock makes a racing removal wait, so no token outlives its workspace, and makes the count below hold. */
    private static final String LOCK_WORKSPACE = """
            SELECT status, incarnation, quarantined FROM workspaces WHERE id = $1 FOR NO KEY UPDATE
            """;

    private static final String COUNT_LIVE = """
            SELECT count(*) FROM workspace_tokens
            WHERE workspace_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
            """;

    private static final String INSERT = """
            INSERT INTO workspace_tokens (id, workspace_id, token_hash, prefix, created_at, incarnation, bootstrapped, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """;

    /**
     * Runs under the workspace's row lock: two starts of one incarnation leave one token. What a registration got without a bearer
     * ends like the token of an earlier start: whoever holds it need not be the agent that was started.
     */
    private static final String SUPERSEDE = """
            UPDATE workspace_tokens
            SET revoked_at = CASE WHEN incarnation = $2 THEN $3::timestamptz END,
                expires_at = CASE WHEN incarnation = $2 THEN expires_at ELSE least(expires_at, $4::timestamptz) END
            WHERE workspace_id = $1 AND (incarnation <= $2 OR bootstrapped) AND revoked_at IS NULL
            """;

    /** Of two racing revocations one finds the row still live. */
    private static final String REVOKE = """
            UPDATE workspace_tokens SET revoked_at = $3
            WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL
            """;

    /** Rows in use by a revocation are skipped: the note is not worth waiting for. */
    private static final String USED = """
            WITH organisation AS (
                UPDATE org_tokens SET last_used_at = $2
                WHERE id IN (
                    SELECT id FROM org_tokens
                    WHERE token_hash = ANY ($1) AND (last_used_at IS NULL OR last_used_at < $3)
                    FOR NO KEY UPDATE SKIP LOCKED
                )
            )
            UPDATE workspace_tokens SET last_used_at = $2
            WHERE id IN (
                SELECT id FROM workspace_tokens
                WHERE token_hash = ANY ($1) AND (last_used_at IS NULL OR last_used_at < $3)
                FOR NO KEY UPDATE SKIP LOCKED
            )
            """;

    private static final String FORGET = """
            DELETE FROM token_tombstones WHERE removed_at < $1
            """;

    private final Pool pool;

    public PgTokenStore(Pool pool) {
        this.pool = pool;
    }

    /** Stores the token of a person's making within the transaction of the change that calls for it. */
    public static Future<Void> insert(SqlClient transaction, UUID workspaceId, String token, Instant now) {
        return insert(transaction, workspaceId, token, now, new Terms(null, false, null));
    }

    /** Stores the token of a registration that needed none. */
    public static Future<Void> insertFirst(SqlClient transaction, UUID workspaceId, String token, Instant now) {
        return insert(transaction, workspaceId, token, now, new Terms(null, true, null));
    }

    private record Terms(
            @Nullable Integer incarnation,
            boolean bootstrapped,
            @Nullable Instant expiresAt) {}

    private static Future<Void> insert(
            SqlClient transaction, UUID workspaceId, String token, Instant now, Terms terms) {
        return transaction
                .preparedQuery(INSERT)
                .execute(Tuple.tuple()
                        .addValue(UUID.randomUUID())
                        .addValue(workspaceId)
                        .addValue(Buffer.buffer(Tokens.hash(token)))
                        .addValue(Tokens.prefix(token))
                        .addValue(PgValues.time(now))
                        .addValue(terms.incarnation)
                        .addValue(terms.bootstrapped)
                        .addValue(terms.expiresAt == null ? null : PgValues.time(terms.expiresAt)))
                .mapEmpty();
    }

    /** How many live tokens a workspace has, within a transaction that holds its row. */
    public static Future<Long> countLive(SqlClient transaction, UUID workspaceId, Instant now) {
        return transaction
                .preparedQuery(COUNT_LIVE)
                .execute(Tuple.of(workspaceId, PgValues.time(now)))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /** What a hash proves and which live tokens exist; a token is live until it is revoked or past its expiry. */
    public Future<Verdict> verify(VerifyToken question, Instant now) {
        return pool.preparedQuery(VERIFY)
                .execute(Tuple.tuple()
                        .addValue(bytesOf(question.tokenHash()))
                        .addValue(question.workspaceId())
                        .addValue(PgValues.time(now)))
                .map(rows -> toVerdict(rows.iterator().next()));
    }

    /** The verdicts on all of them, in their order. */
    public Future<List<Verdict>> verifyAll(List<VerifyToken> questions, Instant now) {
        return pool.preparedQuery(VERIFY_ALL)
                .execute(Tuple.tuple()
                        .addValue(questions.stream()
                                .map(question -> bytesOf(question.tokenHash()))
                                .toArray(Buffer[]::new))
                        .addValue(
                                questions.stream().map(VerifyToken::workspaceId).toArray(UUID[]::new))
                        .addValue(PgValues.time(now)))
                .map(rows -> rows.stream().map(PgTokenStore::toVerdict).toList());
    }

    public Future<Fate> fateOf(byte[] hash, UUID workspaceId) {
        return pool.preparedQuery(FATE)
                .execute(Tuple.of(Buffer.buffer(hash), workspaceId))
                .map(rows -> {
                    var row = rows.iterator().next();
                    return row.getBoolean("removed")
                            ? Fate.REMOVED
                            : row.getBoolean("quarantined") ? Fate.QUARANTINED : Fate.NONE;
                });
    }

    /** Whether the token was issued for an earlier start of this workspace than the wanted one. */
    public Future<Boolean> isOfEarlierStart(byte[] hash, UUID workspaceId) {
        return pool.preparedQuery(EARLIER_START)
                .execute(Tuple.of(Buffer.buffer(hash), workspaceId))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /** Live tokens, newest first. */
    public Future<List<WorkspaceToken>> list(UUID workspaceId, int limit, int offset, Instant now) {
        return pool.preparedQuery(LIST)
                .execute(Tuple.of(workspaceId, limit, offset, PgValues.time(now)))
                .map(rows -> rows.stream().map(PgTokenStore::toToken).toList());
    }

    /**
     * A token for a person; fails with NOT_FOUND for an unknown or removed workspace, CONFLICT for one that is cut off and
     * RATE_LIMITED at {@code liveMax}.
     */
    public Future<Void> issue(UUID workspaceId, String token, int liveMax, @Nullable Instant expiresAt, Instant now) {
        return pool.withTransaction(transaction -> lockWorkspace(transaction, workspaceId)
                .compose(workspace -> countLive(transaction, workspaceId, now))
                .compose(live -> live < liveMax
                        ? insert(transaction, workspaceId, token, now, new Terms(null, false, expiresAt))
                        : Future.failedFuture(new ApiError(
                                ApiError.Kind.RATE_LIMITED,
                                "maximum %d active tokens per workspace".formatted(liveMax)))));
    }

    /**
     * A token bound to an incarnation: revokes others bound to it and lets those of older ones, and what registrations got without a
     * bearer, expire at {@code overlapEnd};
     * fails with CONFLICT when the incarnation is not current.
     */
    public Future<Void> issueForStart(
            UUID workspaceId, int incarnation, String token, Instant now, Instant overlapEnd) {
        return pool.withTransaction(transaction -> lockWorkspace(transaction, workspaceId)
                .compose(workspace -> workspace.getInteger("incarnation") == incarnation
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.conflict("incarnation is no longer current")))
                .compose(current -> transaction
                        .preparedQuery(SUPERSEDE)
                        .execute(Tuple.of(workspaceId, incarnation, PgValues.time(now), PgValues.time(overlapEnd))))
                .compose(superseded ->
                        insert(transaction, workspaceId, token, now, new Terms(incarnation, false, null))));
    }

    /** False when there is no such live token. */
    public Future<Boolean> revoke(UUID workspaceId, UUID tokenId, Instant now) {
        return pool.preparedQuery(REVOKE)
                .execute(Tuple.of(tokenId, workspaceId, PgValues.time(now)))
                .map(done -> done.rowCount() > 0);
    }

    /** Notes the use of tokens, of workspaces and of the organisation, given by Base64 hash; one used within the last minute is left alone. */
    public Future<Void> used(Collection<String> hashes, Instant now) {
        var bytes = hashes.stream().map(PgTokenStore::bytesOf).toArray(Buffer[]::new);
        return pool.preparedQuery(USED)
                .execute(Tuple.tuple()
                        .addValue(bytes)
                        .addValue(PgValues.time(now))
                        .addValue(PgValues.time(now.minus(USE_NOTED_EVERY))))
                .mapEmpty();
    }

    /** Forgets tombstones older than {@code before}. */
    public Future<Void> forgetTombstones(Instant before) {
        return pool.preparedQuery(FORGET)
                .execute(Tuple.of(PgValues.time(before)))
                .mapEmpty();
    }

    private static Future<Row> lockWorkspace(SqlClient transaction, UUID workspaceId) {
        return transaction
                .preparedQuery(LOCK_WORKSPACE)
                .execute(Tuple.of(workspaceId))
                .map(rows -> rows.stream()
                        .filter(row -> !"removed".equals(row.getString("status")))
                        .findFirst()
                        .orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(row -> row.getBoolean("quarantined")
                        ? Future.failedFuture(ApiError.conflict("workspace is quarantined"))
                        : Future.succeededFuture(row));
    }

    private static Verdict toVerdict(Row row) {
        @Nullable UUID workspace = row.getUUID("workspace_id");
        @Nullable String organisation = row.getString("organisation_prefix");
        return new Verdict(
                organisation != null ? Holder.ORGANISATION : workspace != null ? Holder.WORKSPACE : Holder.NOBODY,
                workspace,
                row.getInteger("incarnation"),
                workspace == null ? Standing.ADMITTED : Standing.valueOf(row.getString("standing")),
                organisation,
                row.getBoolean("any_live"),
                row.getBoolean("workspace_live"));
    }

    private static WorkspaceToken toToken(Row row) {
        return new WorkspaceToken(
                row.getUUID("id"),
                row.getString("prefix"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                PgValues.instant(row, "last_used_at"));
    }

    private static @Nullable Buffer bytesOf(@Nullable String base64) {
        return base64 == null ? null : Buffer.buffer(Base64.getDecoder().decode(base64));
    }
}
