package ai.molecule.registry.heartbeats;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an agent says of itself every few seconds. Absent members count as zero and overwrite.
 *
 * @param monthlySpend in cents; 0 leaves the one that was said before in this calendar month (UTC)
 * @param runtimeState {@code wedged} degrades; anything else but the empty text holds back a recovery
 * @param ownsStatus whether the runtime manages its status itself, so that error rates do not
 * @param incarnation of the token it came with; null when that is bound to none
 */
public record Heartbeat(
        UUID workspaceId,
        double errorRate,
        String sampleError,
        int activeTasks,
        int uptimeSeconds,
        String currentTask,
        long monthlySpend,
        String runtimeState,
        boolean ownsStatus,
        @Nullable Integer incarnation) {

    static final String WEDGED = "wedged";

    private static final long SPEND_MAX_CENTS = 1_000_000_000_000L;

    static Heartbeat of(JsonBody body) {
        return new Heartbeat(
                Ids.find(body.requiredText("workspace_id")).orElseThrow(body::bad),
                body.number("error_rate", 0),
                body.text("sample_error", ""),
                body.int32("active_tasks", 0),
                body.int32("uptime_seconds", 0),
                body.text("current_task", ""),
                Math.clamp(body.integer("monthly_spend", 0), 0, SPEND_MAX_CENTS),
                body.text("runtime_state", ""),
                ownsStatus(body),
                null);
    }

    /** Of an agent that answered, and says no more. */
    static Heartbeat ofAnswer(UUID workspaceId) {
        return new Heartbeat(workspaceId, 0, "", 0, 0, "", 0, "", false, null);
    }

    Heartbeat from(@Nullable Integer startedAs) {
        return new Heartbeat(
                workspaceId,
                errorRate,
                sampleError,
                activeTasks,
                uptimeSeconds,
                currentTask,
                monthlySpend,
                runtimeState,
                ownsStatus,
                startedAs);
    }

    /** How long its texts are. */
    long chars() {
        return (long) sampleError.length() + currentTask.length() + runtimeState.length();
    }

    boolean wedged() {
        return runtimeState.equals(WEDGED);
    }

    private static boolean ownsStatus(JsonBody body) {
        var metadata = body.object("runtime_metadata");
        if (metadata == null) {
            return false;
        }
        @Nullable JsonNode capabilities = metadata.get("capabilities");
        if (capabilities == null || capabilities.isNull()) {
            return false;
        }
        if (!capabilities.isObject()) {
            throw body.bad();
        }
        return capabilities.path("status_mgmt").asBoolean(false);
    }
}
