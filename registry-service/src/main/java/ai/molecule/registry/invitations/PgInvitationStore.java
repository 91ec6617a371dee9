package ai.molecule.registry.invitations;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.lifecycle.PgOrgChart;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.workspaces.NewWorkspace;
import ai.molecule.registry.workspaces.PgWorkspaceCreation;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Invitations, in {@code invitations}; a claim makes the workspace in the same transaction. */
public record PgInvitationStore(Database database, PgWorkspaceCreation creation) {

    /** What an id is to a registration. */
    public enum Invited {
        NO,
        YES,
        /** It was, and is not any more: refused, whoever else may come. */
        NO_LONGER
    }

    private static final int FORGOTTEN_MAX = 1_000;

    private static final String INSERT = """
            INSERT INTO invitations (id, workspace_id_hash, prefix, name, role, parent_id, tier, created_at, expires_at, made_by)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $11
            WHERE (SELECT count(*) FROM invitations WHERE expires_at > $8) < $10
            """;

    /** An invitation is as good as a token of the agent that comes: it is worth nothing while whoever made it may not act there. */
    private static final String WITH_RIGHT = "(made_by IS NULL OR may_act(made_by, parent_id))";

    /** The workspaces at and below which; all where that is null. UNION ends a circle, which cannot be. */
    private static final String WITHIN = """
            WITH RECURSIVE within (id) AS (
                SELECT unnest($2::uuid[])
                UNION
                SELECT w.id FROM workspaces AS w JOIN within ON w.parent_id = within.id
            )
            SELECT * FROM invitations WHERE expires_at > $1 AND ($2::uuid[] IS NULL OR parent_id IN (SELECT id FROM within)) AND %s
            """.formatted(WITH_RIGHT);

    private static final String LIST = WITHIN + " ORDER BY created_at DESC, id LIMIT $3";

    private static final String FIND_OPEN = WITHIN + " AND (id = $3 OR workspace_id_hash = $4)";

    /** The row stays, ended: its id is no stranger's to take. */
    private static final String REVOKE = """
            UPDATE invitations SET expires_at = $3 WHERE (id = $1 OR workspace_id_hash = $2) AND expires_at > $3
            """;

    private static final String FORGET = """
            DELETE FROM invitations WHERE id IN (
                SELECT id FROM invitations WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
            )
            """;

    private static final String FIND =
            "SELECT expires_at > $2 AND %s AS open FROM invitations WHERE workspace_id_hash = $1".formatted(WITH_RIGHT);

    /** Of two that come with it one finds it. Nobody comes below one that is removed or cut off. */
    private static final String CLAIM = """
            DELETE FROM invitations AS invitation
            WHERE workspace_id_hash = $1 AND expires_at > $2 AND %s
                AND (parent_id IS NULL OR EXISTS (
                    SELECT 1 FROM workspaces WHERE id = invitation.parent_id AND status <> 'removed' AND NOT quarantined))
            RETURNING *
            """.formatted(WITH_RIGHT);

    /**
     * Fails with INVALID for an unknown parent, CONFLICT for one that is cut off, and RATE_LIMITED when so many are open already.
     *
     * @param madeBy without whose right to act there it cannot be claimed; null for nobody's
     */
    public Future<Void> insert(Invitation invitation, byte[] workspaceIdHash, @Nullable UUID madeBy, int openMax) {
        var parameters = Tuple.of(
                invitation.id(),
                Buffer.buffer(workspaceIdHash),
                invitation.prefix(),
                invitation.name(),
                invitation.role(),
                invitation.parentId(),
                invitation.tier(),
                PgValues.time(invitation.createdAt()),
                PgValues.time(invitation.expiresAt()),
                openMax,
                madeBy);
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> PgOrgChart.requireParent(transaction, invitation.parentId()))
                .compose(known -> PgOrgChart.refuseQuarantined(transaction, invitation.parentId()))
                .compose(allowed -> transaction.query(INSERT, parameters))
                .compose(done -> done.rowCount() > 0
                        ? Future.succeededFuture()
                        : Future.failedFuture(new ApiError(
                                ApiError.Kind.RATE_LIMITED, "at most %d invitations at a time".formatted(openMax)))));
    }

    /** Those that can still be claimed, newest first. */
    Future<List<Invitation>> list(Instant now, @Nullable List<UUID> within, int limit) {
        return database.list(LIST, asked(now, within).addInteger(limit), PgInvitationStore::toInvitation);
    }

    /** One of those, by its own id or by the hash of the workspace's. */
    Future<Optional<Invitation>> find(UUID id, byte[] workspaceIdHash, Instant now, @Nullable List<UUID> within) {
        return database.find(
                FIND_OPEN,
                asked(now, within).addUUID(id).addBuffer(Buffer.buffer(workspaceIdHash)),
                PgInvitationStore::toInvitation);
    }

    private static Tuple asked(Instant now, @Nullable List<UUID> within) {
        return Tuple.tuple()
                .addOffsetDateTime(PgValues.time(now))
                .addArrayOfUUID(within == null ? null : within.toArray(UUID[]::new));
    }

    /** By its own id or by the hash of the workspace's; false when there is none that can still be claimed. */
    public Future<Boolean> revoke(UUID id, byte[] workspaceIdHash, Instant now) {
        return database.changes(REVOKE, Tuple.of(id, Buffer.buffer(workspaceIdHash), PgValues.time(now)));
    }

    /** Forgets those that ended before; at most 1000 at once. */
    public Future<Integer> forget(Instant endedBefore) {
        return database.update(FORGET, Tuple.of(PgValues.time(endedBefore), FORGOTTEN_MAX));
    }

    /** Whether a registration of this id comes by invitation. */
    public Future<Invited> find(Sql transaction, UUID workspaceId, Instant now) {
        return transaction
                .find(
                        FIND,
                        Tuple.of(Buffer.buffer(InvitationService.hashOf(workspaceId)), PgValues.time(now)),
                        row -> row.getBoolean("open") ? Invited.YES : Invited.NO_LONGER)
                .map(found -> found.orElse(Invited.NO));
    }

    /** Makes the invited workspace, with its events, under the org chart's lock; false when another one was first. */
    public Future<Boolean> claim(Sql transaction, UUID workspaceId, Instant now) {
        return transaction
                .find(
                        CLAIM,
                        Tuple.of(Buffer.buffer(InvitationService.hashOf(workspaceId)), PgValues.time(now)),
                        row -> toWorkspace(workspaceId, toInvitation(row)))
                .compose(claimed -> claimed.isEmpty()
                        ? Future.succeededFuture(false)
                        : creation.insert(transaction, List.of(claimed.get()), now)
                                .map(true));
    }

    private static NewWorkspace toWorkspace(UUID workspaceId, Invitation invitation) {
        return NewWorkspace.invited(
                workspaceId, invitation.name(), invitation.role(), invitation.parentId(), invitation.tier());
    }

    private static Invitation toInvitation(Row row) {
        return new Invitation(
                row.getUUID("id"),
                row.getString("prefix"),
                row.getString("name"),
                row.getString("role"),
                row.getUUID("parent_id"),
                row.getInteger("tier"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "expires_at")));
    }
}
