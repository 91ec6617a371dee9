package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import ai.molecule.common.workspaces.RuntimeNames;
import ai.molecule.common.workspaces.TenantName;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.tokens.PgTokenStore.Fate;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules about workspaces, but for the changes of their status. */
public record WorkspaceService(
        PgWorkspaceStore store,
        RuntimeNames runtimes,
        ProgramTiers tiers,
        TokenService tokens,
        Guards guards,
        Announcements announcements,
        Clock clock) {

    /** How long a removed workspace stays listed, so that whoever ran its agent can clean up. */
    private static final Duration REMOVED_LISTED_FOR = Duration.ofHours(1);

    /** What became of a creation; the token only for an external agent that has yet to connect. */
    public record Created(NewWorkspace workspace, @Nullable String token) {}

    /** What {@code GET /workspaces/:id/state} answers. */
    public record State(UUID id, @Nullable WorkspaceStatus status, boolean quarantined) {

        boolean deleted() {
            return status == null || status == WorkspaceStatus.REMOVED;
        }
    }

    /** A workspace, and whether its reader may see all of it: an administrator, or the workspace itself. */
    public record Seen(Workspace workspace, boolean trusted) {}

    /** @param tenant whose it is, where it is a root; null for nobody's */
    Future<Created> create(NewWorkspace workspace, @Nullable String tenant) {
        runtimes.check(workspace.runtime());
        String token = workspace.initialStatus() == WorkspaceStatus.AWAITING_AGENT ? Tokens.mint() : null;
        return tiers.check(workspace)
                .compose(fits -> store.insert(workspace, tenant, token, clock.instant()))
                .compose(stored -> announce(List.of(workspace), token != null))
                .map(told -> new Created(workspace, token));
    }

    /** Serves {@link CreateWorkspaces}. */
    public Future<CreateWorkspaces.Created> createAll(CreateWorkspaces request) {
        var workspaces = checked(request.workspaces());
        String tenant = request.tenant() == null ? null : TenantName.checked(request.tenant());
        return store.insertAll(workspaces, request.expanded(), tenant, clock.instant())
                .compose(present -> {
                    if (!present.isEmpty()) {
                        return Future.succeededFuture(new CreateWorkspaces.Created(present));
                    }
                    return announce(workspaces, false)
                            .map(new CreateWorkspaces.Created(workspaces.stream()
                                    .map(workspace ->
                                            new CreateWorkspaces.Entry(workspace.id(), workspace.initialStatus()))
                                    .toList()));
                });
    }

    /** Serves {@link CheckWorkspaces}. */
    public Future<CheckWorkspaces.Checked> checkAll(CheckWorkspaces request) {
        var workspaces = checked(request.workspaces());
        return store.tryInsertAll(workspaces, clock.instant()).map(new CheckWorkspaces.Checked(workspaces.size()));
    }

    private List<NewWorkspace> checked(List<CreateWorkspaces.Item> items) {
        if (items.size() > CreateWorkspaces.MAX) {
            throw ApiError.invalid("at most %d workspaces at once".formatted(CreateWorkspaces.MAX));
        }
        var workspaces = items.stream().map(this::check).toList();
        if (workspaces.stream().map(NewWorkspace::id).distinct().count() < workspaces.size()) {
            throw ApiError.invalid("an id is given twice");
        }
        return workspaces;
    }

    /**
     * @param tenant whose alone; null for all
     * @param within the workspaces at and below which to look; empty for everywhere
     */
    Future<List<Workspace>> list(@Nullable String tenant, List<UUID> within) {
        return store.list()
                .map(all -> tenant == null ? all : Tenants.of(all, tenant))
                .map(all -> within.isEmpty() ? all : below(all, within));
    }

    /** Fails with NOT_FOUND, and with CONFLICT for one that is no root. */
    Future<Void> giveToTenant(UUID id, @Nullable String tenant) {
        return store.giveToTenant(id, tenant, clock.instant())
                .onSuccess(changed -> announcements.changed(changed.stream().toList()))
                .compose(given -> tokens.organisationChanged()); // whoever has a role for a tenant has it elsewhere now
    }

    /** A level at a time, as often as somebody new is found. */
    private static List<Workspace> below(List<Workspace> all, List<UUID> within) {
        var shown = new HashSet<>(within);
        boolean more = true;
        while (more) {
            more = false;
            for (var workspace : all) {
                more |= workspace.parentId() != null
                        && shown.contains(workspace.parentId())
                        && shown.add(workspace.id());
            }
        }
        return all.stream().filter(workspace -> shown.contains(workspace.id())).toList();
    }

    /** Anybody may look; what it works on and spends only its own agent and administrators see. */
    Future<Seen> get(UUID id, @Nullable String bearer) {
        var trusted = guards.workspace(bearer, id, Role.VIEWER)
                .map(caller -> caller.kind() != Caller.Kind.ANONYMOUS)
                .otherwise(false);
        return store.find(id)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(workspace -> trusted.map(sees -> new Seen(workspace, sees)));
    }

    /** @param byItself whether its own token asks, which may not move it everywhere */
    Future<Optional<Changed>> patch(UUID id, WorkspacePatch patch, boolean byItself, String changedWith) {
        if (patch.runtime() != null) {
            runtimes.check(patch.runtime());
        }
        return fits(id, patch)
                .compose(fits -> store.patch(id, patch, byItself, changedWith, clock.instant()))
                .onSuccess(changed -> announcements.changed(changed.stream().toList()))
                .compose(changed -> patch.parent() == null || changed.isEmpty()
                        ? Future.succeededFuture(changed)
                        : tokens.organisationChanged().map(changed)); // a role for a branch is one for others now
    }

    private Future<Void> fits(UUID id, WorkspacePatch patch) {
        return patch.tier() == null && patch.runtime() == null
                ? Future.succeededFuture()
                : store.find(id)
                        .compose(found ->
                                found.map(before -> tiers.check(before, patch)).orElse(Future.succeededFuture()));
    }

    /**
     * What an agent is told about itself. A token of a removed workspace still proves enough to be told of the removal
     * (decision 6), and the last tokens of a quarantined one to be told that it is paused; otherwise the caller must pass as the workspace,
     * and with its own token once it has one.
     */
    Future<State> state(UUID id, @Nullable String bearer) {
        var known = bearer == null ? Future.succeededFuture(Fate.NONE) : tokens.fateOf(bearer, id);
        return known.compose(fate -> switch (fate) {
            case REMOVED -> Future.succeededFuture(new State(id, WorkspaceStatus.REMOVED, false));
            case QUARANTINED -> Future.succeededFuture(new State(id, WorkspaceStatus.PAUSED, true));
            case NONE ->
                guards.workspace(bearer, id, Role.VIEWER)
                        .recover(refused -> isSuspension(refused)
                                ? Future.succeededFuture(Caller.ANONYMOUS)
                                : Future.failedFuture(refused))
                        .compose(caller -> guards.ownToken(bearer, id))
                        .compose(caller -> store.find(id))
                        .map(found -> new State(id, found.map(Workspace::status).orElse(null), false));
        });
    }

    /** A paused agent is to learn that it is paused, and nothing else. */
    private static boolean isSuspension(Throwable refused) {
        return refused instanceof ApiError error && error.kind() == ApiError.Kind.FORBIDDEN;
    }

    /** Lets a stranger in, with WORKSPACE_UPDATED; fails with NOT_FOUND for an unknown or removed workspace. */
    Future<Void> admit(UUID id) {
        return store.admit(id, clock.instant()).compose(changed -> {
            announcements.changed(changed.stream().toList());
            return tokens.changed(id);
        });
    }

    public Future<ListManaged.Page> listManaged(ListManaged request) {
        return store.listManaged(request, clock.instant().minus(REMOVED_LISTED_FOR));
    }

    /** Serves {@link UnmeteredWorkspaces}. */
    public Future<UnmeteredWorkspaces.Ids> unmetered() {
        return store.unmetered().map(UnmeteredWorkspaces.Ids::new);
    }

    /** Serves {@link DescribeBranch}. */
    public Future<DescribeBranch.Branch> describeBranch(DescribeBranch request) {
        return store.describeBranch(request.workspaceId(), CreateWorkspaces.MAX + 1)
                .map(members -> {
                    if (members.size() > CreateWorkspaces.MAX) {
                        throw ApiError.invalid("more than %d workspaces".formatted(CreateWorkspaces.MAX));
                    }
                    return new DescribeBranch.Branch(members);
                });
    }

    public Future<Directory.Snapshot> directory() {
        return store.directory(clock.instant().minus(REMOVED_LISTED_FOR));
    }

    private NewWorkspace check(CreateWorkspaces.Item item) {
        try {
            var workspace = NewWorkspace.of(item);
            runtimes.check(workspace.runtime());
            return workspace;
        } catch (ApiError broken) {
            throw ApiError.invalid("workspace \"%s\": %s".formatted(item.name(), broken.publicMessage()));
        }
    }

    private Future<Void> announce(List<NewWorkspace> workspaces, boolean tokensIssued) {
        announcements.changed(workspaces.stream()
                .map(workspace -> new Changed(workspace.id(), 1, workspace.initialStatus()))
                .toList());
        announcements.wanted(workspaces.stream()
                .filter(workspace -> workspace.initialStatus() == WorkspaceStatus.PROVISIONING)
                .map(NewWorkspace::id)
                .toList());
        return tokensIssued
                ? tokens.changed(workspaces.stream().map(NewWorkspace::id).toList())
                : Future.succeededFuture();
    }
}
