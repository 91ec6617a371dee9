package ai.molecule.registry.invitations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.registry.workspaces.FieldRules;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Whom a person wants to invite, checked. */
record NewInvitation(
        UUID workspaceId,
        String name,
        @Nullable String role,
        @Nullable UUID parentId,
        int tier,
        Duration life) {

    private static final Duration LIFE_DEFAULT = Duration.ofDays(7);
    private static final Duration LIFE_MAX = Duration.ofDays(30);
    private static final int TIER_DEFAULT = 3;

    /** Reads the body of {@code POST /invitations}; fails with INVALID and the rule that was broken. */
    static NewInvitation of(JsonBody body, UUID workspaceId) {
        long life = body.integer("expires_in_seconds", LIFE_DEFAULT.toSeconds());
        if (life < 1 || life > LIFE_MAX.toSeconds()) {
            throw ApiError.invalid("expires_in_seconds must be between 1 and %d".formatted(LIFE_MAX.toSeconds()));
        }
        String role = body.text("role", "");
        String parent = body.text("parent_id");
        int tier = body.int32("tier", 0);
        var wanted = new NewInvitation(
                workspaceId,
                body.requiredText("name"),
                role.isEmpty() ? null : role,
                parent == null ? null : Ids.find(parent).orElseThrow(body::bad),
                tier == 0 ? TIER_DEFAULT : tier,
                Duration.ofSeconds(life));
        FieldRules.checkName(wanted.name);
        FieldRules.checkRole(wanted.role);
        return wanted;
    }
}
