package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.registry.lifecycle.PgRecordedEvents;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Decisions on approvals, taken, taken back and settled, with their events in the same transaction. */
public record PgApprovalDecisions(Database database) {

    /** How a request ended. */
    record Settled(UUID id, UUID workspaceId, String taskId, String status, String decidedBy, String decidedWith) {}

    /**
     * What is about to be decided.
     *
     * @param asked the digest it was stored with; null from before there were any
     * @param standing the digest of what stands there now
     * @param ballot who must decide it, and who has
     */
    private record Undecided(String taskId, @Nullable String asked, String standing, Ballot ballot) {

        static Undecided of(Row row) {
            String context = row.getString("context");
            return new Undecided(
                    row.getString("task_id"),
                    row.getString("digest"),
                    ApprovalDigest.of(
                            row.getString("action"),
                            row.getString("reason"),
                            context == null ? null : Json.stored(context)),
                    PgApprovalRows.ballotOf(row));
        }

        /** A denial by whoever names no digest ends whatever it is. */
        boolean is(Decision decision) {
            boolean named = decision.digest() == null || decision.digest().equals(standing);
            return named && (!decision.approved() || asked == null || asked.equals(standing));
        }
    }

    /** Of two racing decisions one finds the row still undecided; until it is decided nobody changes what is read here. */
    private static final String UNDECIDED = """
            SELECT task_id, action, reason, context::text AS context, digest, deciders::text AS deciders, votes::text AS votes, asked_by,
                askers, passport_id, on_behalf_of, escalates_at, escalated_at
            FROM approvals
            WHERE id = $1 AND workspace_id = $2 AND status = 'pending' AND decision IS NULL AND expires_at > $3
            FOR NO KEY UPDATE
            """;

    /** Runs under that lock. */
    private static final String DECIDE = """
            UPDATE approvals
            SET status = CASE WHEN $6::timestamptz IS NULL THEN $3 ELSE status END, decision = $3, decided_by = $4,
                decided_with = $5, takes_effect_at = $6, decided_digest = $8, votes = $9::text::jsonb,
                decided_at = CASE WHEN $6::timestamptz IS NULL THEN $7::timestamptz END
            WHERE id = $1 AND workspace_id = $2
            """;

    /** Runs under that lock: one approval of two. */
    private static final String VOTE =
            "UPDATE approvals SET votes = $3::text::jsonb WHERE id = $1 AND workspace_id = $2";

    /** What can be taken back: a decision before it takes effect, and a vote that has decided nothing yet. */
    private static final String RETRACTABLE = """
            SELECT deciders::text AS deciders, votes::text AS votes, asked_by, askers, passport_id, on_behalf_of, escalates_at, escalated_at
            FROM approvals
            WHERE id = $1 AND workspace_id = $2 AND status = 'pending'
                AND (takes_effect_at > $3 OR (decision IS NULL AND votes <> '[]' AND expires_at > $3))
            FOR NO KEY UPDATE
            """;

    /** Runs under that lock. */
    private static final String RETRACT = """
            UPDATE approvals SET decision = NULL, decided_by = NULL, decided_with = NULL, takes_effect_at = NULL,
                decided_digest = NULL, votes = $3::text::jsonb
            WHERE id = $1 AND workspace_id = $2
            """;

    /** What somebody is just deciding is left to them; what is decided already needs nobody else. */
    private static final String ESCALATE = """
            UPDATE approvals SET escalated_at = $1
            WHERE id IN (
                SELECT id FROM approvals
                WHERE status = 'pending' AND escalates_at <= $1 AND escalated_at IS NULL AND decision IS NULL AND expires_at > $1
                ORDER BY escalates_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
            )
            RETURNING id, workspace_id
            """;

    /** What somebody is just deciding or settling is left to them. */
    private static final String SETTLE = """
            UPDATE approvals
            SET status = coalesce(decision, 'denied'), decided_by = coalesce(decided_by, $3),
                decided_with = coalesce(decided_with, $4), decided_at = $1
            WHERE id IN (
                SELECT id FROM approvals WHERE status = 'pending' AND coalesce(takes_effect_at, expires_at) <= $1
                ORDER BY coalesce(takes_effect_at, expires_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
            )
            RETURNING id, workspace_id, task_id, status, decided_by, decided_with
            """;

    /**
     * Decides, and tells it unless it can be taken back; completes with how it stands then, empty when this workspace has no such undecided one.
     * Fails with CONFLICT when the row is not what was shown to whoever decided, and as {@link Ballot#check}.
     */
    Future<Optional<Ballot>> decide(UUID workspaceId, UUID id, Decision decision, Instant now) {
        return database.transaction(transaction -> transaction
                .find(UNDECIDED, Tuple.of(id, workspaceId, PgValues.time(now)), Undecided::of)
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : decide(transaction, workspaceId, id, found.get(), decision, now)
                                .map(Optional::of)));
    }

    private static Future<Ballot> decide(
            Sql transaction, UUID workspaceId, UUID id, Undecided undecided, Decision decision, Instant now) {
        undecided.ballot().check(decision);
        if (!undecided.is(decision)) {
            return Future.failedFuture(changed());
        }
        var ballot = undecided.ballot().with(Vote.of(decision, undecided.standing(), now));
        String votes = Json.text(ballot.votesJson());
        if (!ballot.isDecided()) {
            return transaction
                    .run(VOTE, Tuple.of(id, workspaceId, votes))
                    .compose(done -> PgApprovalRows.tell(transaction, workspaceId, id, ApprovalEvents::updated))
                    .map(ballot);
        }
        boolean atOnce = decision.grace().isZero();
        var parameters = Tuple.of(id, workspaceId, decision.status(), decision.decidedBy())
                .addValue(decision.decidedWith())
                .addValue(atOnce ? null : PgValues.time(now.plus(decision.grace())))
                .addValue(PgValues.time(now))
                .addValue(undecided.standing())
                .addString(votes);
        return transaction
                .changes(DECIDE, parameters)
                .compose(done -> atOnce
                        ? tell(
                                        transaction,
                                        new Settled(
                                                id,
                                                workspaceId,
                                                undecided.taskId(),
                                                decision.status(),
                                                decision.decidedBy(),
                                                decision.decidedWith()))
                                .map(ballot)
                        : Future.succeededFuture(ballot));
    }

    /**
     * Takes a decision back that has not taken effect, or a vote that has not decided; false when there is none. Where a rule says who decides
     * it fails with FORBIDDEN for everybody but whose vote it is.
     */
    Future<Boolean> retract(UUID workspaceId, UUID id, @Nullable String login, Instant now) {
        return database.transaction(transaction -> transaction
                .find(RETRACTABLE, Tuple.of(id, workspaceId, PgValues.time(now)), PgApprovalRows::ballotOf)
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture(false)
                        : retract(transaction, workspaceId, id, found.get(), login)
                                .map(true)));
    }

    private static Future<Void> retract(
            Sql transaction, UUID workspaceId, UUID id, Ballot ballot, @Nullable String login) {
        boolean ruled = ballot.requirement() != null;
        var left = ruled ? ballot.without(login) : ballot.holding(List.of());
        if (ruled && left.votes().size() == ballot.votes().size()) {
            return Future.failedFuture(ApiError.forbidden("only who decided this may take it back"));
        }
        return transaction
                .run(RETRACT, Tuple.of(id, workspaceId, Json.text(left.votesJson())))
                .compose(done -> ruled
                        ? PgApprovalRows.tell(transaction, workspaceId, id, ApprovalEvents::updated)
                        : Future.succeededFuture());
    }

    /** Lets others decide what nobody did in time, and tells it; at most {@code max}. Completes with how many. */
    Future<Integer> escalate(int max, Instant now) {
        return database.transaction(transaction -> transaction
                .list(
                        ESCALATE,
                        Tuple.of(PgValues.time(now), max),
                        row -> new Due(row.getUUID("id"), row.getUUID("workspace_id")))
                .compose(due -> InTurn.each(
                        due,
                        one -> PgApprovalRows.tell(transaction, one.workspaceId(), one.id(), ApprovalEvents::updated)))
                .map(List::size));
    }

    private record Due(UUID id, UUID workspaceId) {}

    /** Has decisions take effect whose grace is over, denies what expired, and tells both; at most {@code max}. Completes with how many. */
    Future<Integer> settle(int max, Instant now) {
        return database.transaction(transaction -> transaction
                .list(
                        SETTLE,
                        Tuple.of(PgValues.time(now), max, Decision.EXPIRED_BY, Decision.EXPIRED_WITH),
                        PgApprovalDecisions::toSettled)
                .compose(settled -> InTurn.each(settled, one -> tell(transaction, one)))
                .map(List::size));
    }

    private static ApiError changed() {
        return ApiError.conflict(
                "this approval is not what was shown: it was changed meanwhile. Nothing was decided; read it again");
    }

    private static Future<Void> tell(Sql transaction, Settled settled) {
        return PgRecordedEvents.append(
                transaction, settled.workspaceId(), ApprovalEvents.decided(settled.id(), settled));
    }

    private static Settled toSettled(Row row) {
        return new Settled(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getString("task_id"),
                row.getString("status"),
                row.getString("decided_by"),
                row.getString("decided_with"));
    }
}
