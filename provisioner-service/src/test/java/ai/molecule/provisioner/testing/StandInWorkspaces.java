package ai.molecule.provisioner.testing;

import static ai.molecule.provisioner.testing.WorkspaceBuilder.like;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of a {@link StandInRegistry} and what its contracts do to them. Guarded by the lock of the registry. */
final class StandInWorkspaces {

    private final Map<UUID, ManagedWorkspace> rows = new TreeMap<>(Comparator.comparing(UUID::toString));

    /** Those that registered by themselves: they have a row, and their agent is not the platform's. */
    private final Set<UUID> strangers = new HashSet<>();

    void stranger(UUID id) {
        strangers.add(id);
    }

    void put(ManagedWorkspace workspace) {
        rows.put(workspace.id(), workspace);
    }

    void forget(UUID id) {
        rows.remove(id);
    }

    @Nullable
    ManagedWorkspace find(UUID id) {
        return rows.get(id);
    }

    ManagedWorkspace get(UUID id) {
        var found = rows.get(id);
        if (found == null) {
            throw new IllegalArgumentException("no workspace " + id);
        }
        return found;
    }

    void remove(UUID id) {
        change(id, WorkspaceStatus.REMOVED, Desired.REMOVED, 0);
    }

    void removeAll() {
        List.copyOf(rows.keySet()).forEach(this::remove);
    }

    void hibernate(UUID id) {
        change(id, WorkspaceStatus.HIBERNATED, Desired.SLEEPING, 0);
    }

    void pause(UUID id) {
        change(id, WorkspaceStatus.PAUSED, Desired.PAUSED, 0);
    }

    void quarantine(UUID id) {
        pause(id);
        put(like(get(id)).quarantined(true).nextVersion().build());
    }

    void restart(UUID id) {
        change(id, WorkspaceStatus.PROVISIONING, Desired.RUNNING, 1);
    }

    void status(UUID id, WorkspaceStatus status) {
        change(id, status, Desired.RUNNING, 0);
    }

    void runtime(UUID id, String runtime) {
        put(like(get(id)).runtime(runtime).nextVersion().build());
    }

    void choose(UUID id, String runtime, String configRuntime) {
        put(like(get(id))
                .runtime(runtime)
                .configRuntime(configRuntime)
                .nextVersion()
                .build());
    }

    ListManaged.Page list(ListManaged question) {
        var after = question.after();
        return new ListManaged.Page(rows.values().stream()
                .filter(workspace -> !strangers.contains(workspace.id()))
                .filter(workspace -> question.id() == null || workspace.id().equals(question.id()))
                .filter(workspace -> after == null || workspace.id().toString().compareTo(after.toString()) > 0)
                .limit(question.limit())
                .toList());
    }

    ResolveRoute.Route route(ResolveRoute question) {
        var found = rows.get(question.target());
        return found == null
                ? new ResolveRoute.Route(
                        false,
                        false,
                        "",
                        null,
                        false,
                        Delivery.PUSH,
                        WorkspaceStatus.REMOVED,
                        false,
                        false,
                        "",
                        false,
                        0,
                        false,
                        0)
                : new ResolveRoute.Route(
                        true,
                        true,
                        found.name(),
                        null,
                        false,
                        Delivery.PUSH,
                        found.status(),
                        found.quarantined(),
                        false,
                        found.runtime(),
                        false,
                        found.incarnation(),
                        false,
                        found.version());
    }

    Transition.Outcome transition(Transition transition) {
        var before = get(transition.workspaceId());
        boolean applies = before.incarnation() == transition.expectedIncarnation()
                && before.status() != transition.to()
                && before.desired() == Desired.RUNNING;
        if (applies) {
            status(before.id(), transition.to());
        }
        return new Transition.Outcome(applies, get(before.id()).status());
    }

    RemoveWorkspace.Removed removeBranch(RemoveWorkspace request) {
        List<UUID> removed = new ArrayList<>();
        if (rows.containsKey(request.workspaceId())) {
            removed.add(request.workspaceId());
        }
        for (int i = 0; i < removed.size(); i++) {
            children(removed.get(i)).forEach(child -> removed.add(child.id()));
        }
        removed.forEach(this::remove);
        return new RemoveWorkspace.Removed(removed);
    }

    CollapseWorkspace.Collapsed collapse(CollapseWorkspace request) {
        if (!rows.containsKey(request.workspaceId())) {
            throw ApiError.notFound("workspace not found");
        }
        var below = children(request.workspaceId());
        below.forEach(child -> remove(child.id()));
        return new CollapseWorkspace.Collapsed(
                below.stream().map(ManagedWorkspace::name).toList(),
                below.stream().map(ManagedWorkspace::id).toList());
    }

    SetDesired.Done setDesired(SetDesired wish) {
        var before = rows.get(wish.workspaceId());
        if (before == null || before.desired() == Desired.REMOVED) {
            throw ApiError.notFound("workspace not found");
        }
        var expected = wish.expectedIncarnation();
        if (expected != null && expected != before.incarnation()) {
            return new SetDesired.Done(List.of());
        }
        if (wish.action() == SetDesired.Action.RESTART) {
            restart(before.id());
            if (wish.runtime() != null) {
                runtime(before.id(), wish.runtime());
            }
            return new SetDesired.Done(List.of(before.id()));
        }
        List<UUID> changed = new ArrayList<>(List.of(before.id()));
        children(before.id()).forEach(child -> changed.add(child.id()));
        changed.forEach(wish.action() == SetDesired.Action.PAUSE ? this::pause : this::restart);
        return new SetDesired.Done(changed);
    }

    private List<ManagedWorkspace> children(UUID parentId) {
        return rows.values().stream()
                .filter(other -> parentId.equals(other.parentId()))
                .toList();
    }

    private void change(UUID id, WorkspaceStatus status, Desired desired, int newStarts) {
        var before = get(id);
        var after = like(before)
                .status(status)
                .desired(desired)
                .incarnation(before.incarnation() + newStarts)
                .provisioningSince(status == WorkspaceStatus.PROVISIONING ? Instant.now() : null)
                .nextVersion();
        put((status == WorkspaceStatus.ONLINE ? after.heardAt(Instant.now()) : after).build());
    }
}
