package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whose a tree is. */
final class Tenants {

    /** What existing clients call their organisation by. */
    static final String HEADER = "X-Molecule-Org-Id";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final int DEPTH_MAX = 1_000;

    private Tenants() {}

    /** Throws INVALID for what is no name of one. */
    static String named(String text) {
        if (!NAME.matcher(text).matches()) {
            throw ApiError.invalid("tenant must be 1 to 100 letters, digits, dots, dashes and underscores");
        }
        return text;
    }

    /** Those of one tenant, in their order. */
    static List<Workspace> of(List<Workspace> all, String tenant) {
        Map<UUID, Workspace> byId = new HashMap<>();
        all.forEach(workspace -> byId.put(workspace.id(), workspace));
        return all.stream()
                .filter(workspace -> tenant.equals(rootOf(workspace, byId).tenant()))
                .toList();
    }

    private static Workspace rootOf(Workspace workspace, Map<UUID, Workspace> byId) {
        Workspace root = workspace;
        for (int i = 0; i < DEPTH_MAX; i++) {
            @Nullable Workspace parent = root.parentId() == null ? null : byId.get(root.parentId());
            if (parent == null) {
                return root;
            }
            root = parent;
        }
        return root;
    }
}
