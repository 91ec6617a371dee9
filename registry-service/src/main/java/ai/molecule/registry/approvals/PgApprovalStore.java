package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.registry.lifecycle.PgRecordedEvents;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The table {@code approvals}, with its events in the same transaction. */
public record PgApprovalStore(Database database) {

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
                    ballotOf(row));
        }

        /** A denial by whoever names no digest ends whatever it is. */
        boolean is(Decision decision) {
            boolean named = decision.digest() == null || decision.digest().equals(standing);
            return named && (!decision.approved() || asked == null || asked.equals(standing));
        }
    }

    /** Part of the pending ones, oldest first: what follows {@code after}, or what comes directly before {@code before}. */
    record Page(@Nullable UUID after, @Nullable UUID before, int limit) {}

    /** When what is exported was asked for: {@code from} and later, before {@code to}. */
    record Period(Instant from, Instant to) {}

    /** Where the last page of an export ended. */
    record Place(Instant createdAt, UUID id) {}

    /** @param last null behind the last one */
    record ExportPage(
            List<ExportedDecision> decisions, @Nullable Place last) {}

    /** The row's lock makes a racing removal or move wait, and makes the count below hold. */
    private static final String ASKING = """
            SELECT parent_id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE
            """;

    /** Runs under that lock; nothing is stored where too many are pending. */
    private static final String INSERT = """
            INSERT INTO approvals (id, workspace_id, task_id, action, reason, context, created_at, expires_at, passport_id, on_behalf_of,
                digest, asked_by, deciders, escalates_at, askers)
            SELECT $1, $2, $3, $4, $5, $6::text::jsonb, $7, $8, $10, $11, $12, $13, $14::text::jsonb, $15, $16::text[]
            WHERE (SELECT count(*) FROM approvals WHERE workspace_id = $2 AND status = 'pending' AND expires_at > $7) < $9
            """;

    private static final String COLUMNS = """
            SELECT a.id, a.task_id, a.action, a.reason, a.status, a.decision, a.decided_by, a.decided_with, a.decided_at,
                   a.takes_effect_at, a.created_at, a.expires_at, a.passport_id, a.on_behalf_of,
                   a.digest, a.decided_digest, a.deciders::text AS deciders, a.votes::text AS votes, a.asked_by, a.askers,
                   a.escalates_at, a.escalated_at
            """;

    private static final String LIST = COLUMNS + """
            FROM approvals AS a WHERE a.workspace_id = $1
            ORDER BY a.created_at DESC, a.id
            LIMIT $2
            """;

    private static final String FIND = COLUMNS + """
                , a.context::text AS context
            FROM approvals AS a WHERE a.id = $1 AND a.workspace_id = $2
            """;

    private static final String ENDED = "SELECT id FROM approvals WHERE id = ANY ($1) AND status <> 'pending'";

    /** Of the branches of somebody who may look at nothing else. */
    private static final String WITHIN = """
            (%1$s::uuid[] IS NULL OR a.workspace_id IN (
                WITH RECURSIVE below AS (
                    SELECT id FROM workspaces WHERE id = ANY (%1$s)
                    UNION
                    SELECT child.id FROM workspaces AS child JOIN below ON child.parent_id = below.id
                )
                SELECT id FROM below))
            """;

    private static final String CURSOR =
            "SELECT created_at FROM approvals AS a WHERE id = $1 AND " + WITHIN.formatted("$2");

    /** The times of the cursors are parameters, so that the index is entered at the right place. */
    private static final String PENDING = COLUMNS + """
                , w.id AS workspace_id, w.name AS workspace_name, a.context::text AS context
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.expires_at > $1 AND w.status <> 'removed'
              AND ($2::timestamptz IS NULL OR (a.created_at, a.id) > ($2, $3::uuid))
              AND ($4::timestamptz IS NULL OR (a.created_at, a.id) < ($4, $5::uuid))
              AND\s
            """ + WITHIN.formatted("$7");

    private static final String FORWARD = PENDING + " ORDER BY a.created_at, a.id LIMIT $6";

    private static final String BACKWARD = PENDING + " ORDER BY a.created_at DESC, a.id DESC LIMIT $6";

    private static final String OF_TASKS = """
            SELECT a.id, a.workspace_id, left(a.task_id, 256) AS task_id, a.created_at
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.task_id <> '' AND a.expires_at > $1 AND w.status <> 'removed'
              AND ($2::uuid IS NULL OR a.id > $2)
            ORDER BY a.id LIMIT $3
            """;

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

    /** By the index approvals_by_age; what nobody decided yet is left out. */
    private static final String EXPORT =
            COLUMNS + """
                , w.id AS workspace_id, w.name AS workspace_name, coalesce(a.context ->> 'tool', '') AS tool
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.created_at >= $1 AND a.created_at < $2 AND (a.status <> 'pending' OR a.votes <> '[]')
              AND ($3::timestamptz IS NULL OR (a.created_at, a.id) > ($3, $4::uuid))
              AND\s
            """ + WITHIN.formatted("$6") + " ORDER BY a.created_at, a.id LIMIT $5";

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
     * Stores and tells it, to the parent too; fails with NOT_FOUND for an unknown or removed workspace and RATE_LIMITED for one with
     * {@code pendingMax} pending ones.
     */
    Future<Void> insert(UUID workspaceId, NewApproval asked, Instant expiresAt, int pendingMax, Instant now) {
        var behalf = asked.behalf();
        var required = asked.requirement();
        var escalatesAt = required == null ? null : required.escalatesAt(now);
        var parameters = Tuple.of(asked.id(), workspaceId, asked.taskId(), asked.action(), asked.reason())
                .addString(asked.context() == null ? null : Json.text(asked.context()))
                .addValue(PgValues.time(now))
                .addValue(PgValues.time(expiresAt))
                .addValue(pendingMax)
                .addUUID(behalf == null ? null : behalf.passportId())
                .addString(behalf == null ? null : behalf.principal())
                .addString(asked.digest())
                .addString(asked.askedBy())
                .addString(required == null ? null : Json.text(required.toJson()))
                .addValue(escalatesAt == null ? null : PgValues.time(escalatesAt))
                .addArrayOfString(asked.askers().toArray(String[]::new));
        return database.transaction(transaction -> transaction
                .find(ASKING, Tuple.of(workspaceId), row -> Optional.ofNullable(row.getUUID("parent_id")))
                .map(asking -> asking.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(parent -> transaction
                        .changes(INSERT, parameters)
                        .compose(stored -> stored
                                ? tell(transaction, workspaceId, asked.id(), ApprovalEvents::requested)
                                : Future.failedFuture(tooMany(pendingMax)))
                        .compose(told -> escalate(transaction, parent.orElse(null), workspaceId, asked))));
    }

    /** The newest of one workspace, newest first. */
    Future<List<Approval>> list(UUID workspaceId, int limit) {
        return database.list(LIST, Tuple.of(workspaceId, limit), PgApprovalStore::toApproval);
    }

    /** Empty for one that is not this workspace's. */
    Future<Optional<Approval.Whole>> find(UUID workspaceId, UUID id) {
        return database.find(FIND, Tuple.of(id, workspaceId), PgApprovalStore::toWhole);
    }

    private static Approval.Whole toWhole(Row row) {
        return new Approval.Whole(toApproval(row), row.getString("context"));
    }

    /** Those of them that are not pending any more. */
    Future<List<UUID>> ended(Collection<UUID> ids) {
        return database.list(ENDED, Tuple.of((Object) ids.toArray(UUID[]::new)), row -> row.getUUID("id"));
    }

    /** Pending ones of all workspaces that are not removed; fails with GONE for a cursor that is none (any more). */
    Future<List<Approval.Pending>> pending(Page page, @Nullable List<UUID> within, Instant now) {
        UUID[] branches = within == null ? null : within.toArray(UUID[]::new);
        boolean backward = page.after() == null && page.before() != null;
        return Future.all(timeOf(page.after(), branches), timeOf(page.before(), branches))
                .compose(times -> database.list(
                        backward ? BACKWARD : FORWARD,
                        Tuple.tuple()
                                .addValue(PgValues.time(now))
                                .addValue(times.resultAt(0))
                                .addValue(page.after())
                                .addValue(times.resultAt(1))
                                .addValue(page.before())
                                .addValue(page.limit())
                                .addArrayOfUUID(branches),
                        PgApprovalStore::toPending))
                .map(found -> backward ? found.reversed() : found);
    }

    /** Pending ones of workspaces that are not removed that name a task, in id order. */
    Future<List<TaskApprovals.One>> ofTasks(@Nullable UUID after, int limit, Instant now) {
        return database.list(
                OF_TASKS,
                Tuple.of(PgValues.time(now), after, limit),
                row -> new TaskApprovals.One(
                        row.getUUID("id"),
                        row.getUUID("workspace_id"),
                        row.getString("task_id"),
                        Objects.requireNonNull(PgValues.instant(row, "created_at"))));
    }

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
                    .compose(done -> tell(transaction, workspaceId, id, ApprovalEvents::updated))
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
                .find(RETRACTABLE, Tuple.of(id, workspaceId, PgValues.time(now)), PgApprovalStore::ballotOf)
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
                .compose(done ->
                        ruled ? tell(transaction, workspaceId, id, ApprovalEvents::updated) : Future.succeededFuture());
    }

    /** Lets others decide what nobody did in time, and tells it; at most {@code max}. Completes with how many. */
    Future<Integer> escalate(int max, Instant now) {
        return database.transaction(transaction -> transaction
                .list(
                        ESCALATE,
                        Tuple.of(PgValues.time(now), max),
                        row -> new Due(row.getUUID("id"), row.getUUID("workspace_id")))
                .compose(due -> InTurn.each(
                        due, one -> tell(transaction, one.workspaceId(), one.id(), ApprovalEvents::updated)))
                .map(List::size));
    }

    private record Due(UUID id, UUID workspaceId) {}

    /** @param after null for the first page */
    Future<ExportPage> export(Period period, @Nullable Place after, @Nullable List<UUID> within, int limit) {
        return database.list(
                        EXPORT,
                        Tuple.tuple()
                                .addValue(PgValues.time(period.from()))
                                .addValue(PgValues.time(period.to()))
                                .addValue(after == null ? null : PgValues.time(after.createdAt()))
                                .addUUID(after == null ? null : after.id())
                                .addInteger(limit)
                                .addArrayOfUUID(within == null ? null : within.toArray(UUID[]::new)),
                        PgApprovalStore::toAsked)
                .map(asked -> new ExportPage(
                        asked.stream()
                                .flatMap(one -> ExportedDecision.of(one).stream())
                                .toList(),
                        asked.size() < limit ? null : placeOf(asked.getLast().approval())));
    }

    private static Place placeOf(Approval last) {
        return new Place(last.createdAt(), last.id());
    }

    private static ExportedDecision.Asked toAsked(Row row) {
        return new ExportedDecision.Asked(
                row.getUUID("workspace_id"),
                row.getString("workspace_name"),
                row.getString("tool"),
                row.getString("asked_by"),
                toApproval(row));
    }

    /** Has decisions take effect whose grace is over, denies what expired, and tells both; at most {@code max}. Completes with how many. */
    Future<Integer> settle(int max, Instant now) {
        return database.transaction(transaction -> transaction
                .list(
                        SETTLE,
                        Tuple.of(PgValues.time(now), max, Decision.EXPIRED_BY, Decision.EXPIRED_WITH),
                        PgApprovalStore::toSettled)
                .compose(settled -> InTurn.each(settled, one -> tell(transaction, one)))
                .map(List::size));
    }

    /** Null without a cursor. */
    private Future<@Nullable OffsetDateTime> timeOf(@Nullable UUID cursor, UUID @Nullable [] within) {
        return cursor == null
                ? Future.succeededFuture()
                : database.find(
                                CURSOR,
                                Tuple.tuple().addUUID(cursor).addArrayOfUUID(within),
                                row -> row.getOffsetDateTime("created_at"))
                        .map(time -> time.orElseThrow(() -> new ApiError(ApiError.Kind.GONE, "unknown cursor")));
    }

    private static ApiError tooMany(int pendingMax) {
        return new ApiError(
                ApiError.Kind.RATE_LIMITED, "maximum %d pending approvals per workspace".formatted(pendingMax));
    }

    private static ApiError changed() {
        return ApiError.conflict(
                "this approval is not what was shown: it was changed meanwhile. Nothing was decided; read it again");
    }

    /** Tells of one as it stands now. */
    private static Future<Void> tell(
            Sql transaction, UUID workspaceId, UUID id, Function<Approval.Whole, RecordedEvent> event) {
        return transaction
                .get(FIND, Tuple.of(id, workspaceId), PgApprovalStore::toWhole)
                .compose(approval -> append(transaction, workspaceId, event.apply(approval)));
    }

    private static Future<Void> tell(Sql transaction, Settled settled) {
        return PgRecordedEvents.append(
                transaction, settled.workspaceId(), ApprovalEvents.decided(settled.id(), settled));
    }

    private static Future<Void> escalate(
            Sql transaction, @Nullable UUID parentId, UUID workspaceId, NewApproval asked) {
        return parentId == null
                ? Future.succeededFuture()
                : append(transaction, parentId, ApprovalEvents.escalated(asked, workspaceId));
    }

    private static Future<Void> append(Sql transaction, UUID workspaceId, RecordedEvent event) {
        return PgRecordedEvents.append(transaction, workspaceId, List.of(event));
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

    private static Approval.Pending toPending(Row row) {
        return new Approval.Pending(
                row.getUUID("workspace_id"),
                row.getString("workspace_name"),
                row.getString("context"),
                toApproval(row));
    }

    private static Approval toApproval(Row row) {
        return new Approval(
                row.getUUID("id"),
                row.getString("task_id"),
                row.getString("action"),
                row.getString("reason"),
                row.getString("status"),
                row.getString("decision"),
                row.getString("decided_by"),
                row.getString("decided_with"),
                PgValues.instant(row, "decided_at"),
                PgValues.instant(row, "takes_effect_at"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "expires_at")),
                behalfOf(row),
                row.getString("digest"),
                row.getString("decided_digest"),
                ballotOf(row));
    }

    private static @Nullable Behalf behalfOf(Row row) {
        return row.getUUID("passport_id") == null
                ? null
                : new Behalf(row.getUUID("passport_id"), row.getString("on_behalf_of"));
    }

    private static Ballot ballotOf(Row row) {
        var mayHaveAsked = List.of(row.getArrayOfStrings("askers"));
        return Ballot.of(
                row.getString("deciders"),
                row.getString("votes"),
                Ballot.askers(row.getString("asked_by"), behalfOf(row), mayHaveAsked),
                !mayHaveAsked.isEmpty(),
                PgValues.instant(row, "escalates_at"),
                PgValues.instant(row, "escalated_at"));
    }
}
