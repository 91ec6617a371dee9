package ai.molecule.proxy.schedules;

import ai.molecule.common.json.Json;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.common.schedules.Timetable;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A schedule with what it has come to.
 *
 * @param anchor from when intervals are counted
 * @param nextRunAt the tick to come; null for none
 * @param lastStatus of its newest run that ended; empty before
 * @param madeBy the credential that made it, as the record shows it; null where that is not known, or a file says it
 * @param source {@code template} where an organisation's file says it, else {@code runtime}
 */
record Schedule(
        UUID id,
        UUID workspaceId,
        ScheduleSpec spec,
        Instant anchor,
        @Nullable Instant nextRunAt,
        @Nullable Instant lastRunAt,
        long runs,
        String lastStatus,
        String lastError,
        String source,
        Instant createdAt,
        Instant updatedAt,
        @Nullable String madeBy) {

    private static final int PROMPT_TOLD_MAX = 200;

    ObjectNode toJson() {
        var json = Json.object().put("id", id.toString()).put("workspace_id", workspaceId.toString());
        json.setAll(spec.toJson());
        putHealth(json);
        json.put("source", source).put("created_at", Json.time(createdAt)).put("updated_at", Json.time(updatedAt));
        json.put("made_by", madeBy);
        switch (spec.timetable()) {
            case Timetable.Every every ->
                json.put("every_seconds", every.interval().toSeconds());
            case Timetable.Once once -> json.put("at", Json.time(once.at()));
            case Timetable.ByCron cron -> {}
        }
        return json;
    }

    /** Without what it says, for those who may only know that it runs. */
    ObjectNode health() {
        var json = Json.object()
                .put("id", id.toString())
                .put("workspace_id", workspaceId.toString())
                .put("name", spec.name())
                .put("enabled", spec.enabled());
        putHealth(json);
        return json;
    }

    /** What a run tells of it in the history. */
    ObjectNode request() {
        String prompt = spec.prompt();
        return Json.object()
                .put("schedule_id", id.toString())
                .put("schedule_name", spec.name())
                .put("cron_expr", spec.expression())
                .put(
                        "prompt",
                        prompt.codePointCount(0, prompt.length()) <= PROMPT_TOLD_MAX
                                ? prompt
                                : prompt.substring(0, prompt.offsetByCodePoints(0, PROMPT_TOLD_MAX)));
    }

    private void putHealth(ObjectNode json) {
        json.put("last_run_at", Json.timeOrNull(lastRunAt))
                .put("next_run_at", Json.timeOrNull(nextRunAt))
                .put("run_count", runs)
                .put("last_status", lastStatus)
                .put("last_error", lastError);
    }
}
