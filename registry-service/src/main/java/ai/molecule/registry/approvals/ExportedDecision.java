package ai.molecule.registry.approvals;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A line of the export: an approval with one decision on it. One that two people approved has two lines, one that ended by itself has one more.
 *
 * @param decision of the line; {@code status} is the approval's
 * @param decidedDigest null of approvals from before digests, and of what ended by itself undecided
 * @param shown where who decided was shown it; null of decisions from before that was kept, and of what ended by itself
 */
record ExportedDecision(
        Asked asked,
        String decision,
        @Nullable String decidedBy,
        @Nullable String decidedWith,
        @Nullable String decidedDigest,
        @Nullable String shown,
        @Nullable Instant decidedAt) {

    /** What was asked, and where. */
    record Asked(
            UUID workspaceId,
            String workspaceName,
            String tool,
            @Nullable String askedBy,
            Approval approval) {}

    static final List<String> COLUMNS = List.of(
            "approval_id",
            "workspace_id",
            "workspace_name",
            "asked_at",
            "action",
            "reason",
            "tool",
            "task_id",
            "digest",
            "asked_by",
            "on_behalf_of",
            "rule",
            "approvals_needed",
            "status",
            "decision",
            "decided_by",
            "decided_with",
            "decided_digest",
            "shown",
            "decided_at");

    /** What was decided of one. */
    static List<ExportedDecision> of(Asked asked) {
        var approval = asked.approval;
        var votes = approval.ballot().votes().stream()
                .map(vote -> new ExportedDecision(
                        asked, vote.decision(), vote.by(), vote.with(), vote.digest(), vote.shown(), vote.at()));
        boolean counted = approval.isPending()
                || approval.ballot().votes().stream()
                        .anyMatch(vote -> vote.by().equals(approval.decidedBy())
                                && vote.with().equals(approval.decidedWith()));
        return counted
                ? votes.toList()
                : Stream.concat(
                                votes,
                                Stream.of(new ExportedDecision(
                                        asked,
                                        approval.status(),
                                        approval.decidedBy(),
                                        approval.decidedWith(),
                                        approval.decidedDigest(),
                                        null,
                                        approval.decidedAt())))
                        .toList();
    }

    /** Has {@link #COLUMNS}, in their order. */
    ObjectNode toJson() {
        var approval = asked.approval;
        var behalf = approval.behalf();
        var requirement = approval.ballot().requirement();
        return Json.object()
                .put("approval_id", approval.id().toString())
                .put("workspace_id", asked.workspaceId.toString())
                .put("workspace_name", asked.workspaceName)
                .put("asked_at", Json.time(approval.createdAt()))
                .put("action", approval.action())
                .put("reason", approval.reason())
                .put("tool", asked.tool)
                .put("task_id", approval.taskId())
                .put("digest", approval.digest())
                .put("asked_by", asked.askedBy)
                .put("on_behalf_of", behalf == null ? null : behalf.principal())
                .put("rule", requirement == null ? null : requirement.rule())
                .put("approvals_needed", requirement == null ? 1 : requirement.approvals())
                .put("status", approval.status())
                .put("decision", decision)
                .put("decided_by", decidedBy)
                .put("decided_with", decidedWith)
                .put("decided_digest", decidedDigest)
                .put("shown", shown)
                .put("decided_at", Json.timeOrNull(decidedAt));
    }
}
