package ai.molecule.registry.approvals;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.lifecycle.PgRecordedEvents;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rows of the table {@code approvals}, as all who read them do. */
final class PgApprovalRows {

    static final String COLUMNS = """
            SELECT a.id, a.task_id, a.action, a.reason, a.status, a.decision, a.decided_by, a.decided_with, a.decided_at,
                   a.takes_effect_at, a.created_at, a.expires_at, a.passport_id, a.on_behalf_of,
                   a.digest, a.decided_digest, a.deciders::text AS deciders, a.votes::text AS votes, a.asked_by, a.askers,
                   a.escalates_at, a.escalated_at
            """;

    static final String FIND = COLUMNS + """
                , a.context::text AS context
            FROM approvals AS a WHERE a.id = $1 AND a.workspace_id = $2
            """;

    /** Of the branches of somebody who may look at nothing else. */
    static final String WITHIN = """
            (%1$s::uuid[] IS NULL OR a.workspace_id IN (
                WITH RECURSIVE below AS (
                    SELECT id FROM workspaces WHERE id = ANY (%1$s)
                    UNION
                    SELECT child.id FROM workspaces AS child JOIN below ON child.parent_id = below.id
                )
                SELECT id FROM below))
            """;

    private PgApprovalRows() {}

    static Approval.Whole toWhole(Row row) {
        return new Approval.Whole(toApproval(row), row.getString("context"));
    }

    static Approval toApproval(Row row) {
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

    static Ballot ballotOf(Row row) {
        var mayHaveAsked = List.of(row.getArrayOfStrings("askers"));
        return Ballot.of(
                row.getString("deciders"),
                row.getString("votes"),
                Ballot.askers(row.getString("asked_by"), behalfOf(row), mayHaveAsked),
                !mayHaveAsked.isEmpty(),
                PgValues.instant(row, "escalates_at"),
                PgValues.instant(row, "escalated_at"));
    }

    /** Tells of one as it stands now. */
    static Future<Void> tell(
            Sql transaction, UUID workspaceId, UUID id, Function<Approval.Whole, RecordedEvent> event) {
        return transaction
                .get(FIND, Tuple.of(id, workspaceId), PgApprovalRows::toWhole)
                .compose(approval -> PgRecordedEvents.append(transaction, workspaceId, List.of(event.apply(approval))));
    }
}
