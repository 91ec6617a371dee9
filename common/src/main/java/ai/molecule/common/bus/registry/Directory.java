package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everybody's name and place, for filtering events and naming senders. Called by events-service, kept for at
 * most 2 s and dropped on {@link ai.molecule.common.bus.hints.WorkspaceChanged}. Reads only.
 */
public record Directory() {

    public static final Contract<Directory, Snapshot> CONTRACT =
            Contract.reading("registry.directory", Directory.class, Snapshot.class);

    /**
     * One workspace; removed ones for an hour.
     *
     * @param admitted false for one that a stranger made and nobody let in: it hears its own events only
     * @param circle whose members are its siblings: its parent, or its tenant's; null for a root without one
     */
    public record Entry(
            UUID id,
            @Nullable UUID parentId,
            String name,
            @Nullable String role,
            WorkspaceStatus status,
            boolean admitted,
            @Nullable UUID circle) {

        /** Of a root without a tenant, and of all that are below another one. */
        public Entry(
                UUID id,
                @Nullable UUID parentId,
                String name,
                @Nullable String role,
                WorkspaceStatus status,
                boolean admitted) {
            this(id, parentId, name, role, status, admitted, parentId);
        }
    }

    /** All of them as of one moment. */
    public record Snapshot(List<Entry> workspaces) {

        public AccessRule accessRule() {
            Map<UUID, Optional<UUID>> parents = new HashMap<>();
            workspaces.forEach(entry -> parents.put(entry.id(), Optional.ofNullable(entry.circle())));
            return new AccessRule(parents);
        }
    }
}
