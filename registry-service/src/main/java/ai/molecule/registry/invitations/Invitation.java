package ai.molecule.registry.invitations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an invited agent will be, and until when it may come.
 *
 * @param id by which people speak of it; it opens nothing
 * @param prefix the first eight characters of the workspace's id, which is the secret
 */
public record Invitation(
        UUID id,
        String prefix,
        String name,
        @Nullable String role,
        @Nullable UUID parentId,
        int tier,
        Instant createdAt,
        Instant expiresAt) {

    static final Duration LIFE_DEFAULT = Duration.ofDays(7);
    static final Duration LIFE_MAX = Duration.ofDays(30);

    private static final int TIER_DEFAULT = 3;
    private static final int PREFIX_LENGTH = 8;

    /** Reads the body of {@code POST /invitations}; fails with INVALID and the rule that was broken. */
    static Invitation of(JsonBody body, UUID workspaceId, Instant now) {
        long life = body.integer("expires_in_seconds", LIFE_DEFAULT.toSeconds());
        if (life < 1 || life > LIFE_MAX.toSeconds()) {
            throw ApiError.invalid("expires_in_seconds must be between 1 and %d".formatted(LIFE_MAX.toSeconds()));
        }
        String role = body.text("role", "");
        String parent = body.text("parent_id");
        int tier = body.int32("tier", 0);
        var invitation = new Invitation(
                UUID.randomUUID(),
                workspaceId.toString().substring(0, PREFIX_LENGTH),
                body.requiredText("name"),
                role.isEmpty() ? null : role,
                parent == null ? null : Ids.find(parent).orElseThrow(body::bad),
                tier == 0 ? TIER_DEFAULT : tier,
                now,
                now.plusSeconds(life));
        FieldRules.checkName(invitation.name);
        FieldRules.checkRole(invitation.role);
        return invitation;
    }

    /** {@code {"invitation_id", "id", "name", "role", "parent_id", "tier", "status", "created_at", "expires_at"}}, the id masked. */
    ObjectNode toJson() {
        return Json.object()
                .put("invitation_id", id.toString())
                .put("id", prefix + "-…")
                .put("name", name)
                .put("role", role)
                .put("parent_id", parentId == null ? null : parentId.toString())
                .put("tier", tier)
                .put("status", WorkspaceStatus.AWAITING_AGENT.wire())
                .put("created_at", Json.time(createdAt))
                .put("expires_at", Json.time(expiresAt));
    }

    /** The one answer that holds the workspace's id: {@code {"id", "name", "parent_id", "tier", "expires_at", "invitation_id"}}. */
    ObjectNode toJson(UUID workspaceId) {
        return Json.object()
                .put("id", workspaceId.toString())
                .put("name", name)
                .put("parent_id", parentId == null ? null : parentId.toString())
                .put("tier", tier)
                .put("expires_at", Json.time(expiresAt))
                .put("invitation_id", id.toString());
    }
}
