package ai.molecule.registry.approvals;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request as it stands.
 *
 * @param status {@code pending}, {@code approved} or {@code denied}
 * @param decidedBy as whoever decided calls itself; {@code auto-expired} when nobody did in time, null when nobody did yet
 * @param decidedWith the credential that was shown for it, as we saw it
 * @param takesEffectAt of a decision that can still be taken back, while it is pending
 * @param behalf on whose it was asked; null where no passport was shown
 * @param digest of what was asked for, see {@link ApprovalDigest}; null of approvals from before there were any
 * @param decidedDigest the same as it stood when it was decided; null while nobody has
 * @param ballot who must decide it, and who has
 */
public record Approval(
        UUID id,
        String taskId,
        String action,
        String reason,
        String status,
        @Nullable String decision,
        @Nullable String decidedBy,
        @Nullable String decidedWith,
        @Nullable Instant decidedAt,
        @Nullable Instant takesEffectAt,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Behalf behalf,
        @Nullable String digest,
        @Nullable String decidedDigest,
        Ballot ballot) {

    /**
     * A pending one, with whose it is.
     *
     * @param context JSON text; null when nothing was said
     */
    public record Pending(
            UUID workspaceId,
            String workspaceName,
            @Nullable String context,
            Approval approval) {

        /**
         * {@code {"id", "workspace_id", "workspace_name", "action", "reason", "status", "created_at", "task_id", "context",
         * "expires_at", "digest"}}, with {@code deciders} where a rule says who decides, and {@code decision, decided_by, decided_with, takes_effect_at} while a decision can be taken back.
         */
        ObjectNode toJson() {
            var body = Json.object()
                    .put("id", approval.id.toString())
                    .put("workspace_id", workspaceId.toString())
                    .put("workspace_name", workspaceName)
                    .put("action", approval.action)
                    .put("reason", approval.reason)
                    .put("status", approval.status)
                    .put("created_at", Json.time(approval.createdAt))
                    .put("task_id", approval.taskId);
            body.set("context", Json.stored(context));
            body.put("expires_at", Json.time(approval.expiresAt)).put("digest", approval.digest);
            approval.putBehalf(body);
            approval.putDeciders(body);
            return approval.takesEffectAt == null
                    ? body
                    : body.put("decision", approval.decision)
                            .put("decided_by", approval.decidedBy)
                            .put("decided_with", approval.decidedWith)
                            .put("takes_effect_at", Json.time(approval.takesEffectAt));
        }
    }

    boolean isPending() {
        return status.equals("pending");
    }

    /**
     * {@code {"id", "task_id", "action", "reason", "status", "decided_by", "decided_at", "created_at", "decided_with", "expires_at",
     * "digest", "decided_digest"}}, with {@code deciders} where a rule says who decides; who asked hears of a decision when it takes effect.
     */
    ObjectNode toJson() {
        boolean pending = isPending();
        return putDeciders(putBehalf(Json.object()
                .put("id", id.toString())
                .put("task_id", taskId)
                .put("action", action)
                .put("reason", reason)
                .put("status", status)
                .put("decided_by", pending ? null : decidedBy)
                .put("decided_at", Json.timeOrNull(decidedAt))
                .put("created_at", Json.time(createdAt))
                .put("decided_with", pending ? null : decidedWith)
                .put("expires_at", Json.time(expiresAt))
                .put("digest", digest)
                .put("decided_digest", pending ? null : decidedDigest)));
    }

    private ObjectNode putDeciders(ObjectNode body) {
        var deciders = ballot.toJson();
        return deciders.isNull() ? body : body.set("deciders", deciders);
    }

    /** The same with what there is beside the words, {@code context}: null when nothing was said. */
    record Whole(Approval approval, @Nullable String context) {

        ObjectNode toJson() {
            var body = approval.toJson();
            body.set("context", Json.stored(context));
            return body;
        }
    }

    /** As clients know it where there is none. */
    private ObjectNode putBehalf(ObjectNode body) {
        return behalf == null
                ? body
                : body.put("passport_id", behalf.passportId().toString()).put("on_behalf_of", behalf.principal());
    }
}
