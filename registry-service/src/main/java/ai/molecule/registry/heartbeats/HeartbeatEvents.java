package ai.molecule.registry.heartbeats;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What people who watch see of heartbeats: a changed task at once, and a sign of life at most every ten seconds unless the
 * number of tasks changed (decision 16).
 */
final class HeartbeatEvents {

    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final int REMEMBERED_MAX = 200_000;

    private record Shown(Instant at, int activeTasks) {}

    private final Bus bus;
    private final Map<UUID, Shown> shown = new HashMap<>();

    HeartbeatEvents(Bus bus) {
        this.bus = bus;
    }

    void show(Heartbeat heartbeat, String taskBefore, Instant now) {
        var id = heartbeat.workspaceId();
        if (!heartbeat.currentTask().equals(taskBefore)) {
            var payload = Json.object()
                    .put("current_task", heartbeat.currentTask())
                    .put("active_tasks", heartbeat.activeTasks());
            new LiveEvent("TASK_UPDATED", id, now, payload).publishOn(bus);
        }
        if (due(heartbeat, now)) {
            if (shown.size() >= REMEMBERED_MAX) {
                shown.clear();
            }
            shown.put(id, new Shown(now, heartbeat.activeTasks()));
            var payload = Json.object()
                    .put("active_tasks", heartbeat.activeTasks())
                    .put("uptime_seconds", heartbeat.uptimeSeconds());
            new LiveEvent("WORKSPACE_HEARTBEAT", id, now, payload).publishOn(bus);
        }
    }

    private boolean due(Heartbeat heartbeat, Instant now) {
        var last = shown.get(heartbeat.workspaceId());
        return last == null
                || last.activeTasks != heartbeat.activeTasks()
                || Duration.between(last.at, now).abs().compareTo(EVERY) >= 0;
    }
}
