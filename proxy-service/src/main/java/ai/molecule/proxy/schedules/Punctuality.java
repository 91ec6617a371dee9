package ai.molecule.proxy.schedules;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a schedule runs as often as it says.
 *
 * @param expected the tick after its last run; the first one where it never ran
 * @param threshold how late that may be: twice the time between two ticks
 */
record Punctuality(String status, @Nullable Instant expected, Duration threshold) {

    static Punctuality of(Schedule schedule, Instant now) {
        var timetable = schedule.spec().timetable();
        var anchor = schedule.anchor();
        var next = timetable.after(now, anchor);
        var threshold = next.flatMap(tick -> timetable
                        .after(tick, anchor)
                        .map(after -> Duration.between(tick, after).multipliedBy(2)))
                .orElse(Duration.ZERO);
        var last = schedule.lastRunAt();
        var since = last == null || last.isBefore(schedule.updatedAt()) ? schedule.updatedAt() : last;
        boolean late = schedule.spec().enabled()
                && timetable
                        .after(since, anchor)
                        .filter(tick -> tick.plus(threshold).isBefore(now))
                        .isPresent();
        String status = late && last != null ? "stale" : last == null ? "never_run" : "ok";
        return new Punctuality(status, schedule.nextRunAt(), threshold);
    }

    ObjectNode toJson(Schedule schedule, String workspaceName) {
        return Json.object()
                .put("workspace_id", schedule.workspaceId().toString())
                .put("workspace_name", workspaceName)
                .put("schedule_id", schedule.id().toString())
                .put("schedule_name", schedule.spec().name())
                .put("cron_expr", schedule.spec().expression())
                .put("last_run_at", Json.timeOrNull(schedule.lastRunAt()))
                .put("expected_next_run", Json.timeOrNull(expected))
                .put("status", status)
                .put("stale_threshold_seconds", threshold.toSeconds())
                .put("enabled", schedule.spec().enabled())
                .put("timezone", schedule.spec().timezone())
                .put("last_status", schedule.lastStatus());
    }
}
