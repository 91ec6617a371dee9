package ai.molecule.common.bus.registry;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace whose agent the platform runs, as the provisioner needs to see it.
 *
 * @param desired what should be true of it
 * @param incarnation the start that is wanted: a process of an older one is replaced, one of this one is kept
 * @param quarantined whether it is cut off from everybody, its own process included
 * @param waking whether the start that is wanted and not there yet was made of sleep: nothing of it is new to its agent
 * @param provisioningSince when the status last became {@code provisioning}; null in any other status
 * @param workspaceAccess {@code none}, {@code read_only} or {@code read_write}
 * @param tenant whose the tree is that it stands in; null for nobody's
 * @param tenantScope what stands where a parent would, of a root of a tenant; null for all others
 * @param configRuntime the runtime that its {@code config.yaml} named when a restart last read it; null before
 */
public record ManagedWorkspace(
        UUID id,
        String name,
        @Nullable String role,
        int tier,
        String runtime,
        @Nullable String model,
        @Nullable String template,
        @Nullable UUID parentId,
        @Nullable String workspaceDir,
        String workspaceAccess,
        WorkspaceStatus status,
        Desired desired,
        boolean quarantined,
        int incarnation,
        boolean waking,
        @Nullable Instant provisioningSince,
        @Nullable Instant lastHeartbeatAt,
        long version,
        @Nullable String tenant,
        @Nullable UUID tenantScope,
        @Nullable String configRuntime) {

    /** Of no tenant. */
    public ManagedWorkspace(
            UUID id,
            String name,
            @Nullable String role,
            int tier,
            String runtime,
            @Nullable String model,
            @Nullable String template,
            @Nullable UUID parentId,
            @Nullable String workspaceDir,
            String workspaceAccess,
            WorkspaceStatus status,
            Desired desired,
            boolean quarantined,
            int incarnation,
            boolean waking,
            @Nullable Instant provisioningSince,
            @Nullable Instant lastHeartbeatAt,
            long version) {
        this(
                id,
                name,
                role,
                tier,
                runtime,
                model,
                template,
                parentId,
                workspaceDir,
                workspaceAccess,
                status,
                desired,
                quarantined,
                incarnation,
                waking,
                provisioningSince,
                lastHeartbeatAt,
                version,
                null,
                null,
                null);
    }

    /** Whose members are its siblings: its parent, or its tenant's; null for a root without one. */
    public @Nullable UUID circle() {
        return parentId == null ? tenantScope : parentId;
    }

    /** Whether its agent works in a folder that a person lends it, and not in its own. */
    public boolean worksInLentFolder() {
        return workspaceDir != null && !workspaceAccess.equals("none");
    }

    /** The same with another folder to lend. */
    public ManagedWorkspace withWorkspaceDir(String folder) {
        return new ManagedWorkspace(
                id,
                name,
                role,
                tier,
                runtime,
                model,
                template,
                parentId,
                folder,
                workspaceAccess,
                status,
                desired,
                quarantined,
                incarnation,
                waking,
                provisioningSince,
                lastHeartbeatAt,
                version,
                tenant,
                tenantScope,
                configRuntime);
    }

    /** What the user wants of a workspace; written by the registry in the same transaction as the event that tells it. */
    public enum Desired {
        RUNNING,
        PAUSED,
        /** Stopped until somebody needs it; unlike a paused one it may be started by a message. */
        SLEEPING,
        REMOVED
    }
}
