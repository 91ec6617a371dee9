package ai.molecule.common.bus.events;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores activity rows and announces each with ACTIVITY_LOGGED. Called by the proxy, the registry and the provisioner in
 * batches of at most 128; idempotent by row id, and by (workspaceId, idempotencyKey) where there is a key.
 */
public record AppendActivity(List<Row> rows) {

    public static final Contract<AppendActivity, Appended> CONTRACT =
            Contract.of("events.append-activity", AppendActivity.class, Appended.class);

    /**
     * One row of {@code GET /workspaces/:id/activity}; what each field holds is said there.
     *
     * @param requestBody JSON text, null when there is none
     * @param responseBody JSON text, null when there is none
     * @param toolTrace JSON text, null when there is none
     * @param announce whether an ACTIVITY_LOGGED event goes out for it
     */
    public record Row(
            UUID id,
            UUID workspaceId,
            String activityType,
            @Nullable UUID sourceId,
            @Nullable UUID targetId,
            @Nullable String method,
            @Nullable String summary,
            @Nullable String requestBody,
            @Nullable String responseBody,
            @Nullable String toolTrace,
            @Nullable Integer durationMs,
            String status,
            @Nullable String errorDetail,
            @Nullable String idempotencyKey,
            Instant createdAt,
            boolean announce) {}

    /** How many were new. */
    public record Appended(int count) {}
}
