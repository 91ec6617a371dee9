package ai.molecule.events.activity;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.bus.hints.ActivityArrived;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tells of new rows: the canvas by ACTIVITY_LOGGED, ephemeral, without id and bodies; and whoever waits for them, on any replica. */
public final class ActivityAnnouncer {

    private final Bus bus;
    private final Clock clock;

    public ActivityAnnouncer(Bus bus, Clock clock) {
        this.bus = bus;
        this.clock = clock;
    }

    /** In the order of {@code rows}, those that are new and want it. */
    void announce(List<Row> rows, Set<UUID> fresh) {
        arrived(rows, fresh);
        var untold = new HashSet<>(fresh); // a batch may hold the same row twice
        for (var row : rows) {
            if (row.announce() && untold.remove(row.id())) {
                new LiveEvent("ACTIVITY_LOGGED", row.workspaceId(), clock.instant(), payload(row)).publishOn(bus);
            }
        }
    }

    /** Wakes who waits for those that are new. */
    void arrived(List<Row> rows, Set<UUID> fresh) {
        if (!fresh.isEmpty()) {
            var arrived = rows.stream().filter(row -> fresh.contains(row.id())).map(Row::workspaceId);
            bus.publish(ActivityArrived.HINT, new ActivityArrived(arrived.collect(Collectors.toSet())));
        }
    }

    private static ObjectNode payload(Row row) {
        var payload = Json.object()
                .put("activity_type", row.activityType())
                .put("method", row.method())
                .put("summary", row.summary())
                .put("status", row.status())
                .put("source_id", text(row.sourceId()))
                .put("target_id", text(row.targetId()))
                .put("duration_ms", row.durationMs());
        String trace = row.toolTrace();
        if (trace != null) {
            putTrace(payload, trace);
        }
        return payload;
    }

    private static void putTrace(ObjectNode payload, String trace) {
        try {
            payload.set("tool_trace", Json.stored(trace));
        } catch (UncheckedIOException unreadable) {
            // the row was stored without it, too
        }
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }
}
