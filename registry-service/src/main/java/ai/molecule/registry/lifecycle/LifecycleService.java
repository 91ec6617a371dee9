package ai.molecule.registry.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.WakeWorkspace;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What is wanted of workspaces, and what was witnessed of them. */
public record LifecycleService(
        PgLifecycleStore store, TokenService tokens, Announcements announcements, RestartFreeze freeze, Clock clock) {

    /** Asked to remove a workspace that has others below it, without a confirmation. */
    public static final class ConfirmationRequired extends RuntimeException {

        private final transient List<Child> children;

        ConfirmationRequired(List<Child> children) {
            super("confirmation required");
            this.children = children;
        }

        public List<Child> children() {
            return children;
        }
    }

    public record Child(UUID id, String name) {}

    public Future<SetDesired.Done> setDesired(SetDesired request) {
        boolean automatic = request.expectedIncarnation() != null;
        return (automatic ? freeze.refuseWhileFrozen() : Future.<Void>succeededFuture())
                .compose(allowed -> store.change(
                        request.workspaceId(),
                        branch -> Plan.of(request, branch),
                        !request.ofBranch(),
                        clock.instant()))
                .compose(applied -> announce(applied.changed()).map(applied))
                .onSuccess(applied -> announcements.interrupted(applied.interrupted(), clock.instant()))
                .map(applied -> new SetDesired.Done(askedFirst(request.workspaceId(), applied.changed())));
    }

    /** Serves {@link WakeWorkspace}. A person or a message asks, so a freeze of what is done by itself does not count. */
    public Future<WakeWorkspace.Woken> wake(WakeWorkspace request) {
        return store.change(request.workspaceId(), Plan::wake, true, clock.instant())
                .compose(applied -> announce(applied.changed()).map(applied))
                .map(applied -> new WakeWorkspace.Woken(!applied.changed().isEmpty()));
    }

    /** What the provisioner saw; applied while its incarnation is current and the table allows it. */
    public Future<Transition.Outcome> witness(Transition request) {
        Trigger trigger =
                switch (request.to()) {
                    case OFFLINE -> Trigger.PROCESS_EXIT;
                    case FAILED -> Trigger.START_FAILURE;
                    default -> throw ApiError.invalid("only offline and failed can be witnessed");
                };
        String type = request.to() == WorkspaceStatus.OFFLINE ? "WORKSPACE_OFFLINE" : "WORKSPACE_PROVISION_FAILED";
        var event = new RecordedEvent(type, Json.MAPPER.valueToTree(request.payload()));
        return store.witness(request, trigger, event, clock.instant()).map(witnessed -> {
            if (witnessed.applied()) {
                announcements.changed(List.of(witnessed.state()));
            }
            return new Transition.Outcome(witnessed.applied(), witnessed.state().status());
        });
    }

    /**
     * Removes a workspace and everything below it.
     *
     * @param confirmed needed when there is something below it, else fails with {@link ConfirmationRequired}
     * @param purge delete the rows too, and have others delete what they keep
     * @param ofBranch asked for by somebody who has a role for a branch only: fails with FORBIDDEN where the organisation quarantined
     * @return how many were below it
     */
    Future<Integer> remove(UUID id, boolean confirmed, boolean purge, boolean ofBranch) {
        return removeBranch(id, confirmed, ofBranch)
                .compose(changed -> purge
                        ? store.purge(id).onSuccess(announcements::purged).map(changed)
                        : Future.succeededFuture(changed))
                .map(changed -> Math.max(0, changed.size() - 1));
    }

    /** Serves {@link RemoveWorkspace}. */
    public Future<RemoveWorkspace.Removed> remove(RemoveWorkspace request) {
        return removeBranch(request.workspaceId(), true, false)
                .map(changed -> new RemoveWorkspace.Removed(
                        changed.stream().map(Changed::workspaceId).toList()));
    }

    private Future<List<Changed>> removeBranch(UUID id, boolean confirmed, boolean ofBranch) {
        return store.change(id, branch -> planRemoval(branch, confirmed, ofBranch), !ofBranch, clock.instant())
                .map(PgLifecycleStore.Applied::changed)
                .compose(changed -> announce(changed).map(changed));
    }

    /**
     * Cuts a workspace off: paused, without tokens and without a way to one, until a person releases it.
     *
     * @param branch everything below it too
     * @param ofBranch asked for by somebody who has a role for a branch only; else the organisation alone undoes it
     * @return whom it newly concerns
     */
    Future<List<UUID>> quarantine(UUID id, boolean branch, boolean ofBranch) {
        return store.quarantine(id, branch, !ofBranch, clock.instant())
                .compose(applied -> announce(applied.changed()).map(applied))
                .onSuccess(applied -> announcements.interrupted(applied.interrupted(), clock.instant()))
                .map(applied -> askedFirst(id, applied.changed()));
    }

    /**
     * Undoes {@link #quarantine}; what was released stays paused until somebody resumes it. Fails with FORBIDDEN for a branch where any
     * of them was quarantined by the organisation.
     */
    Future<List<UUID>> release(UUID id, boolean branch, boolean ofBranch) {
        return store.release(id, branch, !ofBranch, clock.instant())
                .compose(changed -> announce(changed).map(changed))
                .map(changed -> askedFirst(id, changed));
    }

    /** Serves {@link CollapseWorkspace}. */
    public Future<CollapseWorkspace.Collapsed> collapse(CollapseWorkspace request) {
        return store.collapse(request.workspaceId(), request.ofBranch(), clock.instant())
                .compose(collapse -> announce(collapse.removed()).map(collapse))
                .map(collapse -> new CollapseWorkspace.Collapsed(
                        collapse.children(),
                        collapse.removed().stream().map(Changed::workspaceId).toList()));
    }

    private static List<Intent> planRemoval(Branch branch, boolean confirmed, boolean ofBranch) {
        var children = branch.children()
                .map(member -> new Child(member.id(), member.name()))
                .toList();
        if (branch.root().isPresent() && !children.isEmpty() && !confirmed) {
            throw new ConfirmationRequired(children);
        }
        return Plan.removal(branch, ofBranch);
    }

    /** What is wanted of a workspace decides what its tokens open, so whoever remembers those hears of it too, each by name. */
    public Future<Void> announce(List<Changed> changed) {
        var ids = changed.stream().map(Changed::workspaceId).toList();
        announcements.changed(changed);
        announcements.wanted(ids);
        return tokens.changed(ids);
    }

    private static List<UUID> askedFirst(UUID asked, List<Changed> changed) {
        var ids = new ArrayList<>(changed.stream().map(Changed::workspaceId).toList());
        if (ids.remove(asked)) {
            ids.addFirst(asked);
        }
        return List.copyOf(ids);
    }
}
