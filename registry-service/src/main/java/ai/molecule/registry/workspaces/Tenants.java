package ai.molecule.registry.workspaces;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Whose a tree is. */
final class Tenants {

    private static final int DEPTH_MAX = 1_000;

    private Tenants() {}

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
