package ai.molecule.provisioner.reconcile;

import static java.util.stream.Collectors.toMap;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.instances.InstanceStore;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every workspace and has those reconciled that need it. What it read may be old by then; the reconciler reads again
 * under the workspace's lock. Fails, having done nothing, when the registry or the database does not answer.
 */
record Sweep(
        RegistryCalls registry,
        InstanceStore instances,
        Backend backend,
        Reconciler reconciler,
        Function<UUID, Future<Void>> reconcile,
        Vanished vanished,
        Clock clock) {

    private static final int PAGES_MAX = 20;
    private static final int WORKSPACES_MAX = PAGES_MAX * RegistryCalls.PAGE;

    /** Once a day is enough for a time of weeks. */
    private static final Duration KEPT_AGAIN = Duration.ofDays(1);

    /** The rest waits for the next sweep. */
    private static final int DUE_MAX = 500;

    /** What was done, and what a person should know; returns when those that were due have been looked at, well or not. Starts go on. */
    RunReport.Outcome run() {
        Map<UUID, Instance> unlisted = new LinkedHashMap<>();
        instances.list(WORKSPACES_MAX).await().forEach(instance -> unlisted.put(instance.workspaceId(), instance));
        var known = List.copyOf(unlisted.values());
        var found = backend.findAll().await();
        Set<UUID> unrecorded = new HashSet<>(found.keySet());
        Set<UUID> kept = backend.findKept().await();
        Set<UUID> unknown = new HashSet<>(kept);
        Set<UUID> leftBehind = new HashSet<>(kept);
        unlisted.keySet().forEach(recorded -> {
            unrecorded.remove(recorded);
            leftBehind.remove(recorded);
        });
        List<UUID> due = new ArrayList<>();
        var managed = managed();
        backend.place(circlesOf(managed)).await();
        for (ManagedWorkspace workspace : managed) {
            unrecorded.remove(workspace.id());
            unknown.remove(workspace.id());
            if (workspace.desired() != ManagedWorkspace.Desired.REMOVED) {
                leftBehind.remove(workspace.id());
            }
            addIfDue(workspace.id(), workspace, unlisted.remove(workspace.id()), found, due);
        }
        String says = vanished.look(kept.size(), unknown);
        if (vanished.areMany()) {
            unlisted.values().forEach(this::keepLonger);
        }
        unlisted.values().forEach(orphan -> addIfDue(orphan.workspaceId(), null, orphan, found, due));
        unrecorded.forEach(id -> addIfDue(id, null, null, found, due));
        leftBehind.stream()
                .limit(DUE_MAX)
                .forEach(id -> instances.leftBehind(id, clock.instant()).await());
        Future.join(due.stream().limit(DUE_MAX).map(reconcile).toList())
                .otherwiseEmpty()
                .await();
        for (Instance instance : known) {
            if (instance.state() == State.RUNNING) {
                backend.trimLog(instance.workspaceId()).otherwiseEmpty().await();
            }
        }
        return new RunReport.Outcome("had %d workspaces reconciled".formatted(due.size()), says, says == null);
    }

    /** The time that its files are kept begins again, so that no file goes in the moment in which many are few again. */
    private void keepLonger(Instance orphan) {
        var now = clock.instant();
        if (orphan.state() == State.STOPPED
                && orphan.updatedAt().plus(KEPT_AGAIN).isBefore(now)
                && !vanished.isPurged(orphan.workspaceId())) {
            instances.stopped(orphan.workspaceId(), now).await();
        }
    }

    private static Map<UUID, Optional<UUID>> circlesOf(List<ManagedWorkspace> managed) {
        return managed.stream()
                .collect(toMap(ManagedWorkspace::id, workspace -> Optional.ofNullable(workspace.circle())));
    }

    private void addIfDue(
            UUID id,
            @Nullable ManagedWorkspace managed,
            @Nullable Instance instance,
            Map<UUID, AgentProcess> found,
            List<UUID> due) {
        var decision = reconciler.decide(id, managed, instance, () -> Optional.ofNullable(found.get(id)));
        if (!(decision instanceof Decision.Nothing)) {
            due.add(id);
        }
    }

    private List<ManagedWorkspace> managed() {
        List<ManagedWorkspace> all = new ArrayList<>();
        List<ManagedWorkspace> page;
        do {
            page = registry.page(all.isEmpty() ? null : all.getLast().id());
            all.addAll(page);
        } while (page.size() == RegistryCalls.PAGE && all.size() < WORKSPACES_MAX);
        return all;
    }
}
