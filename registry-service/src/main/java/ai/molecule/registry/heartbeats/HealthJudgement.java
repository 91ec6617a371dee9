package ai.molecule.registry.heartbeats;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.heartbeats.PgHeartbeatStore.Standing;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.lifecycle.StatusChange;
import ai.molecule.registry.lifecycle.Trigger;
import java.util.List;
import java.util.Optional;

/** Decides what heartbeats mean for a status (decision 3). Pure. */
final class HealthJudgement {

    private static final double DEGRADED_FROM = 0.5;
    private static final double RECOVERED_BELOW = 0.1;

    private HealthJudgement() {}

    /** Judges in arrival order, each by the status the one before led to; empty when nothing changes. */
    static Optional<StatusChange> judge(Standing standing, List<Heartbeat> arrived) {
        Optional<StatusChange> all = Optional.empty();
        var status = standing.status();
        for (var heartbeat : arrived) {
            if (heartbeat.incarnation() != null && heartbeat.incarnation() < standing.incarnation()) {
                continue; // of a process that is being replaced
            }
            var step = step(status, heartbeat);
            if (step.isPresent()) {
                status = step.get().to();
                all = Optional.of(all.isEmpty() ? step.get() : all.get().then(step.get()));
            }
        }
        return all.map(change -> change.during(standing.incarnation()));
    }

    private static Optional<StatusChange> step(WorkspaceStatus status, Heartbeat heartbeat) {
        return switch (status) {
            case PROVISIONING ->
                change(
                        heartbeat,
                        status,
                        Trigger.HEARTBEAT,
                        new RecordedEvent("WORKSPACE_ONLINE", Json.object().put("recovered_from", "provisioning")));
            case OFFLINE, AWAITING_AGENT ->
                change(heartbeat, status, Trigger.HEARTBEAT, RecordedEvent.of("WORKSPACE_ONLINE"));
            case ONLINE -> degrade(heartbeat);
            case DEGRADED -> recover(heartbeat);
            case PAUSED, FAILED, REMOVED, HIBERNATED -> Optional.empty();
        };
    }

    private static Optional<StatusChange> degrade(Heartbeat heartbeat) {
        var payload = Json.object();
        if (heartbeat.wedged()) {
            payload.put("runtime_state", Heartbeat.WEDGED);
        } else if (heartbeat.errorRate() >= DEGRADED_FROM && !heartbeat.ownsStatus()) {
            payload.set("error_rate", Json.number(heartbeat.errorRate()));
        } else {
            return Optional.empty();
        }
        payload.put("sample_error", heartbeat.sampleError());
        return change(
                heartbeat,
                WorkspaceStatus.ONLINE,
                Trigger.ERRORS_HIGH,
                new RecordedEvent("WORKSPACE_DEGRADED", payload));
    }

    private static Optional<StatusChange> recover(Heartbeat heartbeat) {
        boolean well = heartbeat.errorRate() < RECOVERED_BELOW
                && heartbeat.runtimeState().isEmpty()
                && !heartbeat.ownsStatus();
        return well
                ? change(heartbeat, WorkspaceStatus.DEGRADED, Trigger.ERRORS_LOW, RecordedEvent.of("WORKSPACE_ONLINE"))
                : Optional.empty();
    }

    private static Optional<StatusChange> change(
            Heartbeat heartbeat, WorkspaceStatus from, Trigger trigger, RecordedEvent event) {
        return StatusChange.decide(heartbeat.workspaceId(), from, trigger, event);
    }
}
