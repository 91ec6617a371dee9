package ai.molecule.registry.invitations;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

    private static final int PREFIX_LENGTH = 8;

    static Invitation of(NewInvitation wanted, Instant now) {
        return new Invitation(
                UUID.randomUUID(),
                wanted.workspaceId().toString().substring(0, PREFIX_LENGTH),
                wanted.name(),
                wanted.role(),
                wanted.parentId(),
                wanted.tier(),
                now,
                now.plus(wanted.life()));
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
