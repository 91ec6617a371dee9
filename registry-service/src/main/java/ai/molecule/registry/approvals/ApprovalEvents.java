package ai.molecule.registry.approvals;

import ai.molecule.common.json.Json;
import ai.molecule.registry.approvals.PgApprovalDecisions.Settled;
import ai.molecule.registry.lifecycle.RecordedEvent;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;

/** What is told of approvals (docs/wire/events.md). */
final class ApprovalEvents {

    /** A longer one is read from the approval itself: every canvas gets the event. */
    private static final int CONTEXT_MAX_CHARS = 16_000;

    private ApprovalEvents() {}

    static RecordedEvent requested(Approval.Whole asked) {
        return new RecordedEvent("APPROVAL_REQUESTED", payload(asked));
    }

    /** Somebody approved whose word is not enough, took that back, or others may decide now, too. */
    static RecordedEvent updated(Approval.Whole asked) {
        return new RecordedEvent("APPROVAL_UPDATED", payload(asked));
    }

    private static ObjectNode payload(Approval.Whole asked) {
        var approval = asked.approval();
        var payload = Json.object()
                .put("approval_id", approval.id().toString())
                .put("action", approval.action())
                .put("reason", approval.reason())
                .put("task_id", approval.taskId())
                .put("expires_at", Json.time(approval.expiresAt()))
                .put("digest", approval.digest());
        var behalf = approval.behalf();
        if (behalf != null) {
            payload.put("passport_id", behalf.passportId().toString()).put("on_behalf_of", behalf.principal());
        }
        var deciders = approval.ballot().toJson();
        if (!deciders.isNull()) {
            payload.set("deciders", deciders);
        }
        var context = Json.stored(asked.context());
        if (!context.isNull() && Json.text(context).length() <= CONTEXT_MAX_CHARS) {
            payload.set("context", context);
        } else if (!context.isNull()) {
            payload.put("context_left_out", true);
        }
        return payload;
    }

    /** Told to the parent. */
    static RecordedEvent escalated(NewApproval asked, UUID from) {
        return new RecordedEvent(
                "APPROVAL_ESCALATED",
                Json.object()
                        .put("approval_id", asked.id().toString())
                        .put("from_workspace_id", from.toString())
                        .put("action", asked.action())
                        .put("reason", asked.reason())
                        .put("task_id", asked.taskId()));
    }

    /** Under its older name, and under the one that waiting agents look for (decision 15). */
    static List<RecordedEvent> decided(UUID id, Settled decision) {
        var older = Json.object()
                .put("approval_id", id.toString())
                .put("decision", decision.status())
                .put("decided_by", decision.decidedBy())
                .put("decided_with", decision.decidedWith())
                .put("task_id", decision.taskId());
        var newer = older.deepCopy().put("status", decision.status());
        newer.remove("decision");
        return List.of(
                new RecordedEvent(
                        decision.status().equals("approved") ? "APPROVAL_APPROVED" : "APPROVAL_DENIED", older),
                new RecordedEvent("APPROVAL_DECIDED", newer));
    }
}
