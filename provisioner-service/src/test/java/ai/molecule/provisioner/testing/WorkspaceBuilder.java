package ai.molecule.provisioner.testing;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Describes a workspace by what matters to a test. Unless told otherwise it is an echo agent of tier 2 about to start for the first time. */
public final class WorkspaceBuilder {

    private final UUID id;
    private String name = "worker";
    private @Nullable String role;
    private int tier = 2;
    private String runtime = "echo";
    private @Nullable String model;
    private @Nullable String template;
    private @Nullable UUID parentId;
    private @Nullable String lentFolder;
    private String access = "none";
    private WorkspaceStatus status = WorkspaceStatus.PROVISIONING;
    private Desired desired = Desired.RUNNING;
    private boolean quarantined;
    private boolean waking;
    private int incarnation = 1;
    private @Nullable Instant provisioningSince;
    private @Nullable Instant lastHeartbeatAt;
    private long version = 1;
    private @Nullable String tenant;
    private @Nullable UUID tenantScope;
    private @Nullable String configRuntime;

    private WorkspaceBuilder(UUID id) {
        this.id = id;
    }

    public static WorkspaceBuilder workspace(UUID id) {
        return new WorkspaceBuilder(id);
    }

    /** Begins with everything as it is in another. */
    public static WorkspaceBuilder like(ManagedWorkspace other) {
        var builder = workspace(other.id())
                .name(other.name())
                .role(other.role())
                .tier(other.tier())
                .runtime(other.runtime())
                .model(other.model())
                .template(other.template())
                .parent(other.parentId())
                .lent(other.workspaceDir(), other.workspaceAccess())
                .status(other.status())
                .desired(other.desired())
                .incarnation(other.incarnation())
                .provisioningSince(other.provisioningSince());
        builder.quarantined = other.quarantined();
        builder.waking = other.waking();
        builder.lastHeartbeatAt = other.lastHeartbeatAt();
        builder.version = other.version();
        builder.configRuntime = other.configRuntime();
        return builder;
    }

    public WorkspaceBuilder name(String value) {
        name = value;
        return this;
    }

    public WorkspaceBuilder role(@Nullable String value) {
        role = value;
        return this;
    }

    public WorkspaceBuilder tier(int value) {
        tier = value;
        return this;
    }

    public WorkspaceBuilder runtime(String value) {
        runtime = value;
        return this;
    }

    /** What its config named when it was last read. */
    public WorkspaceBuilder configRuntime(@Nullable String value) {
        configRuntime = value;
        return this;
    }

    public WorkspaceBuilder model(@Nullable String value) {
        model = value;
        return this;
    }

    public WorkspaceBuilder template(@Nullable String value) {
        template = value;
        return this;
    }

    public WorkspaceBuilder parent(@Nullable UUID value) {
        parentId = value;
        return this;
    }

    /** @param how {@code none}, {@code read_only} or {@code read_write} */
    public WorkspaceBuilder lent(@Nullable String folder, String how) {
        lentFolder = folder;
        access = how;
        return this;
    }

    public WorkspaceBuilder status(WorkspaceStatus value) {
        status = value;
        return this;
    }

    public WorkspaceBuilder desired(Desired value) {
        desired = value;
        return this;
    }

    public WorkspaceBuilder incarnation(int value) {
        incarnation = value;
        return this;
    }

    public WorkspaceBuilder provisioningSince(@Nullable Instant value) {
        provisioningSince = value;
        return this;
    }

    public WorkspaceBuilder heardAt(Instant value) {
        lastHeartbeatAt = value;
        return this;
    }

    public WorkspaceBuilder quarantined(boolean value) {
        quarantined = value;
        return this;
    }

    public WorkspaceBuilder waking(boolean value) {
        waking = value;
        return this;
    }

    /** @param scope of a root; null for one below */
    public WorkspaceBuilder tenant(String name, @Nullable UUID scope) {
        tenant = name;
        tenantScope = scope;
        return this;
    }

    public WorkspaceBuilder nextVersion() {
        version++;
        return this;
    }

    public ManagedWorkspace build() {
        return new ManagedWorkspace(
                id,
                name,
                role,
                tier,
                runtime,
                model,
                template,
                parentId,
                lentFolder,
                access,
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
}
