package ai.molecule.registry.tokens;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.ModelKey;
import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tokens, in {@code workspace_tokens} and {@code token_tombstones}; verdicts and uses look at {@code org_tokens} too, verdicts at {@code sessions} and at people's tokens. */
public record PgTokenStore(Database database) {

    /** What became of a workspace whose token somebody shows, also when the token holds no more. */
    public enum Fate {
        REMOVED,
        QUARANTINED,
        /** Neither, or the token was never its. */
        NONE
    }

    private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);

    /**
     * One statement, one snapshot: the counts and the holders belong together. {@code NOT MATERIALIZED}, because otherwise every
     * verification would collect all live tokens first; {@code LIMIT} keeps the planner at one look into each index a question.
     */
    private static final String VERIFY = """
            WITH live AS NOT MATERIALIZED (
                SELECT workspace_id, incarnation, token_hash, model_key_hash FROM workspace_tokens
                WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
            )
            SELECT held.workspace_id, held.incarnation, coalesce(held.standing, keyed.standing) AS standing,
                   keyed.workspace_id AS keyed_workspace_id, organisation.prefix AS organisation_prefix,
                   EXISTS (SELECT 1 FROM live) AS any_live, own.live IS NOT NULL AS workspace_live,
                   EXISTS (SELECT 1 FROM sessions
                           WHERE sessions.token_hash = asked.token_hash AND expires_at > $3 AND person_id IS NULL) AS session,
                   CASE WHEN asked.token_hash IS NOT NULL AND held.workspace_id IS NULL AND organisation.prefix IS NULL
                           AND keyed.workspace_id IS NULL
                       THEN person_of(asked.token_hash, $3, asked.workspace_id) END AS person
            FROM unnest($1::bytea[], $2::uuid[]) WITH ORDINALITY AS asked (token_hash, workspace_id, nth)
            LEFT JOIN LATERAL (
                SELECT live.workspace_id, live.incarnation,
                       CASE WHEN workspaces.desired = 'paused' THEN 'SUSPENDED'
                            WHEN workspaces.admitted THEN 'ADMITTED' ELSE 'UNADMITTED' END AS standing
                FROM live JOIN workspaces ON workspaces.id = live.workspace_id
                WHERE live.token_hash = asked.token_hash AND workspaces.status <> 'removed' LIMIT 1
            ) AS held ON true
            LEFT JOIN LATERAL (
                SELECT live.workspace_id,
                       CASE WHEN workspaces.desired = 'paused' THEN 'SUSPENDED'
                            WHEN workspaces.admitted THEN 'ADMITTED' ELSE 'UNADMITTED' END AS standing
                FROM live JOIN workspaces ON workspaces.id = live.workspace_id
                WHERE live.model_key_hash = asked.token_hash AND workspaces.status <> 'removed' LIMIT 1
            ) AS keyed ON true
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
            INSERT INTO workspace_tokens (id, workspace_id, token_hash, prefix, created_at, incarnation, bootstrapped, expires_at,
                model_key_hash, made_by)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """;

    /**
     * Runs under the workspace's row lock: two starts of one incarnation leave one token. What a registration got without a bearer
     * ends like the token of an earlier start: whoever holds it need not be the agent that was started. Tokens that end by themselves
     * before that are left alone, so that a start does not rewrite the tokens of all starts before it.
     */
    private static final String SUPERSEDE = """
            UPDATE workspace_tokens
            SET revoked_at = CASE WHEN incarnation = $2 THEN $3::timestamptz END,
                expires_at = CASE WHEN incarnation = $2 THEN expires_at ELSE least(expires_at, $4::timestamptz) END
            WHERE workspace_id = $1 AND (incarnation <= $2 OR bootstrapped) AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > CASE WHEN incarnation = $2 THEN $3::timestamptz ELSE $4::timestamptz END)
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
            ), of_people AS (
                UPDATE person_tokens SET last_used_at = $2
                WHERE id IN (
                    SELECT id FROM person_tokens
                    WHERE token_hash = ANY ($1) AND (last_used_at IS NULL OR last_used_at < $3)
                    FOR NO KEY UPDATE SKIP LOCKED
                )
            )
            UPDATE workspace_tokens SET last_used_at = $2,
                expires_at = CASE WHEN expires_at > $2 AND incarnation = (SELECT incarnation FROM workspaces WHERE workspaces.id = workspace_id)
                    THEN greatest(expires_at, $4::timestamptz) ELSE expires_at END
            WHERE id IN (
                SELECT id FROM workspace_tokens
                WHERE token_hash = ANY ($1) AND (last_used_at IS NULL OR last_used_at < $3)
                FOR NO KEY UPDATE SKIP LOCKED
            )
            """;

    /**
     * Reads the whole table, which therefore must stay small: that is what this is for. Rows in use are skipped. What a quarantine
     * revoked stays as long as the quarantine, because its holders are told so.
     */
    private static final String DELETE_EXPIRED = """
            DELETE FROM workspace_tokens WHERE id IN (
                SELECT token.id FROM workspace_tokens AS token JOIN workspaces AS workspace ON workspace.id = token.workspace_id
                WHERE token.expires_at < $1 AND (token.revoked_at IS NULL OR NOT workspace.quarantined)
                LIMIT $2
                FOR UPDATE OF token SKIP LOCKED
            )
            """;

    /** Of what people made by a role for branches or tenants: where they may act no more. Few tokens are made so, and an index has only these. */
    private static final String END_WITHOUT_RIGHT = """
            UPDATE workspace_tokens SET revoked_at = now()
            WHERE made_by IS NOT NULL AND ($1::uuid IS NULL OR made_by = $1) AND revoked_at IS NULL AND NOT may_act(made_by, workspace_id)
            """;

    private static final String FORGET = """
            DELETE FROM token_tombstones WHERE removed_at < $1
            """;

    /** Stores the token of a person's making within the transaction of the change that calls for it. */
    public static Future<Void> insert(Sql transaction, UUID workspaceId, String token, Instant now) {
        return insert(transaction, workspaceId, token, now, new Terms(null, false, null, null));
    }

    /** Stores the token of a registration that needed none. */
    public static Future<Void> insertFirst(Sql transaction, UUID workspaceId, String token, Instant now) {
        return insert(transaction, workspaceId, token, now, new Terms(null, true, null, null));
    }

    /**
     * Ends the tokens of agents whose makers may not act for the agent any more, within the transaction that changed a role, a tenant or the org
     * chart and after that change.
     *
     * @param madeBy only those of this person; null for everybody's
     */
    public static Future<Void> endWithoutRight(Sql transaction, @Nullable UUID madeBy) {
        return transaction.run(END_WITHOUT_RIGHT, Tuple.of(madeBy));
    }

    private record Terms(
            @Nullable Integer incarnation,
            boolean bootstrapped,
            @Nullable Instant expiresAt,
            @Nullable UUID madeBy) {}

    private static Future<Void> insert(Sql transaction, UUID workspaceId, String token, Instant now, Terms terms) {
        return transaction.run(
                INSERT,
                Tuple.of(
                        UUID.randomUUID(),
                        workspaceId,
                        Buffer.buffer(Tokens.hash(token)),
                        Tokens.prefix(token),
                        PgValues.time(now),
                        terms.incarnation,
                        terms.bootstrapped,
                        terms.expiresAt == null ? null : PgValues.time(terms.expiresAt),
                        Buffer.buffer(Tokens.hash(ModelKey.of(token))),
                        terms.madeBy));
    }

    /** How many live tokens a workspace has, within a transaction that holds its row. */
    public static Future<Long> countLive(Sql transaction, UUID workspaceId, Instant now) {
        return transaction.get(COUNT_LIVE, Tuple.of(workspaceId, PgValues.time(now)), row -> row.getLong(0));
    }

    /** What each hash proves and which live tokens exist, in their order; a token is live until it is revoked or past its expiry. */
    public Future<List<Verdict>> verify(List<VerifyToken> questions, Instant now) {
        return database.list(
                VERIFY,
                Tuple.of(
                        Sql.column(questions, question -> bytesOf(question.tokenHash()), Buffer[]::new),
                        questions.stream().map(VerifyToken::workspaceId).toArray(UUID[]::new),
                        PgValues.time(now)),
                PgTokenStore::toVerdict);
    }

    public Future<Fate> fateOf(byte[] hash, UUID workspaceId) {
        return database.get(
                FATE,
                Tuple.of(Buffer.buffer(hash), workspaceId),
                row -> row.getBoolean("removed")
                        ? Fate.REMOVED
                        : row.getBoolean("quarantined") ? Fate.QUARANTINED : Fate.NONE);
    }

    /** Whether the token was issued for an earlier start of this workspace than the wanted one. */
    public Future<Boolean> isOfEarlierStart(byte[] hash, UUID workspaceId) {
        return database.get(EARLIER_START, Tuple.of(Buffer.buffer(hash), workspaceId), row -> row.getBoolean(0));
    }

    /** Live tokens, newest first. */
    public Future<List<WorkspaceToken>> list(UUID workspaceId, int limit, int offset, Instant now) {
        return database.list(LIST, Tuple.of(workspaceId, limit, offset, PgValues.time(now)), PgTokenStore::toToken);
    }

    /**
     * A token for a person; fails with NOT_FOUND for an unknown or removed workspace, CONFLICT for one that is cut off and
     * RATE_LIMITED at {@code liveMax}.
     *
     * @param madeBy with whose right to act there it ends; null for nobody's
     */
    public Future<Void> issue(
            UUID workspaceId,
            String token,
            int liveMax,
            @Nullable Instant expiresAt,
            @Nullable UUID madeBy,
            Instant now) {
        return database.transaction(transaction -> lockWorkspace(transaction, workspaceId)
                .compose(workspace -> countLive(transaction, workspaceId, now))
                .compose(live -> live < liveMax
                        ? insert(transaction, workspaceId, token, now, new Terms(null, false, expiresAt, madeBy))
                        : Future.failedFuture(new ApiError(
                                ApiError.Kind.RATE_LIMITED,
                                "maximum %d active tokens per workspace".formatted(liveMax)))));
    }

    /**
     * A token bound to an incarnation: revokes others bound to it and lets those of older ones, and what registrations got without a
     * bearer, expire at {@code overlapEnd};
     * fails with CONFLICT when the incarnation is not current.
     *
     * @param expiresAt when it ends, unless it is used before; null for with its start
     */
    public Future<Void> issueForStart(
            UUID workspaceId,
            int incarnation,
            String token,
            Instant now,
            Instant overlapEnd,
            @Nullable Instant expiresAt) {
        return database.transaction(transaction -> lockWorkspace(transaction, workspaceId)
                .compose(workspace -> workspace.getInteger("incarnation") == incarnation
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.conflict("incarnation is no longer current")))
                .compose(current -> transaction.query(
                        SUPERSEDE, Tuple.of(workspaceId, incarnation, PgValues.time(now), PgValues.time(overlapEnd))))
                .compose(superseded ->
                        insert(transaction, workspaceId, token, now, new Terms(incarnation, false, expiresAt, null))));
    }

    /** False when there is no such live token. */
    public Future<Boolean> revoke(UUID workspaceId, UUID tokenId, Instant now) {
        return database.changes(REVOKE, Tuple.of(tokenId, workspaceId, PgValues.time(now)));
    }

    /** Notes the use of tokens, of workspaces and of the organisation, given by Base64 hash; one used within the last minute is left alone.
     *
     * @param startsEnd when tokens of current starts end that do end; null leaves them
     */
    public Future<Void> used(Collection<String> hashes, Instant now, @Nullable Instant startsEnd) {
        var bytes = hashes.stream().map(PgTokenStore::bytesOf).toArray(Buffer[]::new);
        return database.run(
                USED,
                Tuple.of(bytes, PgValues.time(now), PgValues.time(now.minus(USE_NOTED_EVERY)))
                        .addValue(startsEnd == null ? null : PgValues.time(startsEnd)));
    }

    /** Deletes at most {@code max} tokens that expired before {@code before}, and returns how many. */
    public Future<Integer> deleteExpired(Instant before, int max) {
        return database.query(DELETE_EXPIRED, Tuple.of(PgValues.time(before), max))
                .map(RowSet::rowCount);
    }

    /** Forgets tombstones older than {@code before}. */
    public Future<Void> forgetTombstones(Instant before) {
        return database.run(FORGET, Tuple.of(PgValues.time(before)));
    }

    private static Future<Row> lockWorkspace(Sql transaction, UUID workspaceId) {
        return transaction
                .find(LOCK_WORKSPACE, Tuple.of(workspaceId), row -> row)
                .map(found -> found.filter(row -> !"removed".equals(row.getString("status")))
                        .orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(row -> row.getBoolean("quarantined")
                        ? Future.failedFuture(ApiError.conflict("workspace is quarantined"))
                        : Future.succeededFuture(row));
    }

    private static Verdict toVerdict(Row row) {
        @Nullable UUID workspace = row.getUUID("workspace_id");
        @Nullable UUID keyed = row.getUUID("keyed_workspace_id");
        @Nullable String organisation = row.getString("organisation_prefix");
        @Nullable String person = row.getString("person");
        return new Verdict(
                organisation != null
                        ? Holder.ORGANISATION
                        : workspace != null
                                ? Holder.WORKSPACE
                                : row.getBoolean("session")
                                        ? Holder.SESSION
                                        : person != null
                                                ? Holder.PERSON
                                                : keyed != null ? Holder.MODEL_KEY : Holder.NOBODY,
                workspace,
                row.getInteger("incarnation"),
                workspace == null && keyed == null ? Standing.ADMITTED : Standing.valueOf(row.getString("standing")),
                organisation,
                row.getBoolean("any_live"),
                row.getBoolean("workspace_live"),
                keyed,
                person == null ? null : Json.MAPPER.convertValue(Json.stored(person), Person.class));
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
