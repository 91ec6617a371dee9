package ai.molecule.registry.approvals;

import ai.molecule.common.json.Json;
import ai.molecule.registry.approvals.PgApprovalStore.Settled;
import ai.molecule.registry.lifecycle.RecordedEvent;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What is told of approvals (docs/wire/events.md). */
final class ApprovalEvents {

    /** A longer one is read from the approval itself: every canvas gets the event. */
    private static final int CONTEXT_MAX_CHARS = 16_000;

    private ApprovalEvents() {}

    static RecordedEvent requested(NewApproval asked, Instant expiresAt) {
        var payload = Json.object()
                .put("approval_id", asked.id().toString())
                .put("action", asked.action())
                .put("reason", asked.reason())
                .put("task_id", asked.taskId())
                .put("expires_at", Json.time(expiresAt))
                .put("digest", asked.digest());
        var behalf = asked.behalf();
        if (behalf != null) {
            payload.put("passport_id", behalf.passportId().toString()).put("on_behalf_of", behalf.principal());
        }
        var context = asked.context();
        if (context != null && Json.text(context).length() <= CONTEXT_MAX_CHARS) {
            payload.set("context", context);
        } else if (context != null) {
            payload.put("context_left_out", true);
        }
        return new RecordedEvent("APPROVAL_REQUESTED", payload);
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
