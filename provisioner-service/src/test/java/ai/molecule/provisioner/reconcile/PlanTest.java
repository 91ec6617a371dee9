package ai.molecule.provisioner.reconcile;

import static ai.molecule.common.workspaces.WorkspaceStatus.FAILED;
import static ai.molecule.common.workspaces.WorkspaceStatus.HIBERNATED;
import static ai.molecule.common.workspaces.WorkspaceStatus.OFFLINE;
import static ai.molecule.common.workspaces.WorkspaceStatus.ONLINE;
import static ai.molecule.common.workspaces.WorkspaceStatus.PAUSED;
import static ai.molecule.common.workspaces.WorkspaceStatus.PROVISIONING;
import static ai.molecule.common.workspaces.WorkspaceStatus.REMOVED;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.reconcile.Observation.Gone;
import ai.molecule.provisioner.reconcile.Observation.Running;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every pair of what is wanted and what is there, with what is to be done. */
class PlanTest {

    private static final Instant NOW = Instant.parse("2026-11-01T12:00:00Z");
    private static final UUID ID = UUID.randomUUID();
    private static final AgentProcess PROCESS = new AgentProcess("4711", NOW.minusSeconds(30));
    private static final Observation GONE = new Gone("exit code 1", true);
    private static final Observation ANNOUNCED = new Running(PROCESS, true, false);
    private static final Observation FOUND = new Running(PROCESS, false, false);
    private static final Observation SILENT = new Running(PROCESS, true, true);

    private record Case(
            String situation,
            @Nullable ManagedWorkspace managed,
            @Nullable Instance instance,
            Observation observed,
            String decision) {

        @Override
        public String toString() {
            return situation + " -> " + decision;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("unknown to everybody", null, null, GONE, "Nothing"),
                new Case("a new workspace", running(PROVISIONING, 1), null, GONE, "Start"),
                new Case("registered by hand before we saw it", running(ONLINE, 1), null, GONE, "Nothing"),
                new Case("paused before its first start", wanted(Desired.PAUSED, PAUSED, 1), null, GONE, "Nothing"),
                new Case("removed before its first start", wanted(Desired.REMOVED, REMOVED, 1), null, GONE, "Nothing"),
                new Case("crashed before the spawn", running(PROVISIONING, 1), is(State.STARTING, 1), GONE, "Start"),
                new Case("crashed after the spawn", running(PROVISIONING, 1), is(State.STARTING, 1), FOUND, "Adopt"),
                new Case("we were restarted", running(ONLINE, 1), is(State.RUNNING, 1), FOUND, "Adopt"),
                new Case("all is well", running(ONLINE, 1), is(State.RUNNING, 1), ANNOUNCED, "Nothing"),
                new Case("silent, but it runs", running(OFFLINE, 1), is(State.RUNNING, 1), ANNOUNCED, "Nothing"),
                new Case("silent, no answer", running(OFFLINE, 1), is(State.RUNNING, 1), SILENT, "Hung"),
                new Case("silent, then heard again", running(ONLINE, 1), is(State.RUNNING, 1), SILENT, "Nothing"),
                new Case(
                        "silent, then paused", wanted(Desired.PAUSED, PAUSED, 1), is(State.RUNNING, 1), SILENT, "Stop"),
                new Case("silent, but replaced", running(PROVISIONING, 2), is(State.RUNNING, 1), SILENT, "Start"),
                new Case("restart wanted", running(PROVISIONING, 2), is(State.RUNNING, 1), ANNOUNCED, "Start"),
                new Case("restart wanted, old one gone", running(PROVISIONING, 2), is(State.RUNNING, 1), GONE, "Start"),
                new Case("restart wanted in back-off", running(PROVISIONING, 2), is(State.EXITED, 1), GONE, "Start"),
                new Case("resumed", running(PROVISIONING, 2), is(State.STOPPED, 1), GONE, "Start"),
                new Case("restart after giving up", running(PROVISIONING, 2), is(State.FAILED, 1), GONE, "Start"),
                new Case("the old one's last heartbeat", running(ONLINE, 2), is(State.RUNNING, 1), ANNOUNCED, "Start"),
                new Case("given up, then by hand", running(ONLINE, 2), is(State.FAILED, 1), GONE, "Nothing"),
                new Case("failed by others", running(FAILED, 2), is(State.RUNNING, 1), ANNOUNCED, "Stop"),
                new Case("an old answer", running(PROVISIONING, 1), is(State.RUNNING, 2), ANNOUNCED, "Nothing"),
                new Case("it died", running(ONLINE, 1), is(State.RUNNING, 1), GONE, "Died"),
                new Case("in back-off", running(OFFLINE, 1), exited(NOW.plusSeconds(1)), GONE, "Nothing"),
                new Case("back-off is over", running(OFFLINE, 1), exited(NOW), GONE, "Restart"),
                new Case("given up", running(FAILED, 1), is(State.FAILED, 1), GONE, "Nothing"),
                new Case("stopped as an orphan by mistake", running(ONLINE, 1), is(State.STOPPED, 1), GONE, "Restart"),
                new Case("paused", wanted(Desired.PAUSED, PAUSED, 1), is(State.RUNNING, 1), ANNOUNCED, "Stop"),
                new Case("asleep", wanted(Desired.SLEEPING, HIBERNATED, 1), is(State.RUNNING, 1), ANNOUNCED, "Stop"),
                new Case("asleep, and seen to end", wanted(Desired.SLEEPING, HIBERNATED, 1), exited(NOW), GONE, "Stop"),
                new Case(
                        "asleep already",
                        wanted(Desired.SLEEPING, HIBERNATED, 1),
                        is(State.STOPPED, 1),
                        GONE,
                        "Nothing"),
                new Case("woken", wanted(Desired.RUNNING, PROVISIONING, 2), is(State.STOPPED, 1), GONE, "Start"),
                new Case(
                        "woken before it was stopped",
                        wanted(Desired.RUNNING, PROVISIONING, 2),
                        is(State.RUNNING, 1),
                        ANNOUNCED,
                        "Start"),
                new Case("paused, unrecorded", wanted(Desired.PAUSED, PAUSED, 1), is(State.STARTING, 1), FOUND, "Stop"),
                new Case("paused in back-off", wanted(Desired.PAUSED, PAUSED, 1), exited(NOW), GONE, "Stop"),
                new Case("paused already", wanted(Desired.PAUSED, PAUSED, 1), is(State.STOPPED, 1), GONE, "Nothing"),
                new Case("removed", wanted(Desired.REMOVED, REMOVED, 1), is(State.RUNNING, 1), ANNOUNCED, "Delete"),
                new Case("removed, stopped", wanted(Desired.REMOVED, REMOVED, 1), is(State.STOPPED, 1), GONE, "Delete"),
                new Case("no longer listed", null, is(State.RUNNING, 1), ANNOUNCED, "Stop"),
                new Case("no longer listed, gone", null, is(State.RUNNING, 1), GONE, "Stop"),
                new Case("just no longer listed", null, is(State.STOPPED, 1), GONE, "Nothing"),
                new Case("no longer listed for days", null, since(NOW.minus(Duration.ofDays(20))), GONE, "Nothing"),
                new Case("long no longer listed", null, since(NOW.minus(Duration.ofDays(22))), GONE, "Delete"),
                new Case("slow", waiting(Duration.ofMinutes(9)), started(Duration.ofMinutes(9)), LATE_9, "Nothing"),
                new Case(
                        "too slow",
                        waiting(Duration.ofMinutes(11)),
                        started(Duration.ofMinutes(11)),
                        LATE_11,
                        "GiveUp"),
                new Case("not possible so far", running(PROVISIONING, 1), tried(9, "no room"), GONE, "Start"),
                new Case("not possible for long", running(PROVISIONING, 1), tried(11, "no room"), GONE, "GiveUp"),
                new Case("cut short long ago", running(PROVISIONING, 1), tried(11, null), GONE, "Start"),
                new Case("asked for anew", running(PROVISIONING, 2), tried(11, "no room"), GONE, "Start"),
                new Case("waited for us", waiting(Duration.ofMinutes(30)), is(State.RUNNING, 1), ANNOUNCED, "Nothing"));
    }

    private static Instance tried(int minutesAgo, @Nullable String reason) {
        var since = NOW.minus(Duration.ofMinutes(minutesAgo));
        return new Instance(ID, 1, State.STARTING, null, 20_000, 0, List.of(), null, null, NOW, since, reason);
    }

    private static final Observation LATE_9 = new Running(process(Duration.ofMinutes(9)), true, false);
    private static final Observation LATE_11 = new Running(process(Duration.ofMinutes(11)), true, false);

    @ParameterizedTest
    @MethodSource("cases")
    void decides(Case given) {
        var plan = new Plan(ProvisioningTimeout.always(Duration.ofMinutes(10)), id -> false, () -> false);

        var decision = plan.decide(given.managed, given.instance, given.observed, NOW);

        assertThat(decision.getClass().getSimpleName()).isEqualTo(given.decision);
    }

    private static ManagedWorkspace running(WorkspaceStatus status, int incarnation) {
        return wanted(Desired.RUNNING, status, incarnation);
    }

    private static ManagedWorkspace waiting(Duration age) {
        return workspace(Desired.RUNNING, PROVISIONING, 1, NOW.minus(age));
    }

    private static ManagedWorkspace wanted(Desired desired, WorkspaceStatus status, int incarnation) {
        return workspace(desired, status, incarnation, status == PROVISIONING ? NOW.minusSeconds(30) : null);
    }

    private static ManagedWorkspace workspace(
            Desired desired, WorkspaceStatus status, int incarnation, @Nullable Instant since) {
        return WorkspaceBuilder.workspace(ID)
                .status(status)
                .desired(desired)
                .incarnation(incarnation)
                .provisioningSince(since)
                .build();
    }

    private static Instance is(State state, int incarnation) {
        return instance(state, incarnation, PROCESS, null, NOW.minusSeconds(30));
    }

    private static Instance exited(Instant restartAt) {
        return instance(State.EXITED, 1, PROCESS, restartAt, NOW);
    }

    private static Instance since(Instant updatedAt) {
        return instance(State.STOPPED, 1, PROCESS, null, updatedAt);
    }

    private static Instance started(Duration age) {
        return instance(State.RUNNING, 1, process(age), null, NOW.minus(age));
    }

    private static AgentProcess process(Duration age) {
        return new AgentProcess("4711", NOW.minus(age));
    }

    private static Instance instance(
            State state, int incarnation, AgentProcess process, @Nullable Instant restartAt, Instant updatedAt) {
        var recorded = state == State.RUNNING ? process : null;
        return new Instance(
                ID, incarnation, state, recorded, 20_000, 0, List.of(), restartAt, null, updatedAt, null, null);
    }
}
