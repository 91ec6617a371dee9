package ai.molecule.common.activity;

import ai.molecule.common.auth.Behalf;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of {@code GET /workspaces/:id/activity}; what each field holds is said there. Texts hold no NUL, which PostgreSQL has no place
 * for: a replacement character stands for each.
 *
 * @param requestBody JSON text, null when there is none
 * @param responseBody JSON text, null when there is none
 * @param toolTrace JSON text, null when there is none
 * @param workId the work that the row is part of; null while nobody says
 * @param announce whether an ACTIVITY_LOGGED event goes out for it
 * @param behalf on whose it was, as a passport that the platform made says; null where there was none
 */
public record ActivityRow(
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
        @Nullable UUID workId,
        Instant createdAt,
        boolean announce,
        @Nullable Behalf behalf) {

    /** On nobody's behalf but the sender's own. */
    public ActivityRow(
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
            @Nullable UUID workId,
            Instant createdAt,
            boolean announce) {
        this(
                id,
                workspaceId,
                activityType,
                sourceId,
                targetId,
                method,
                summary,
                requestBody,
                responseBody,
                toolTrace,
                durationMs,
                status,
                errorDetail,
                idempotencyKey,
                workId,
                createdAt,
                announce,
                null);
    }

    public ActivityRow {
        activityType = activityType.replace('\0', '\uFFFD');
        status = status.replace('\0', '\uFFFD');
        method = withoutNul(method);
        summary = withoutNul(summary);
        requestBody = withoutNul(requestBody);
        responseBody = withoutNul(responseBody);
        toolTrace = withoutNul(toolTrace);
        errorDetail = withoutNul(errorDetail);
        idempotencyKey = withoutNul(idempotencyKey);
    }

    /** The same on somebody's behalf. */
    public ActivityRow onBehalf(Behalf whose) {
        return new ActivityRow(
                id,
                workspaceId,
                activityType,
                sourceId,
                targetId,
                method,
                summary,
                requestBody,
                responseBody,
                toolTrace,
                durationMs,
                status,
                errorDetail,
                idempotencyKey,
                workId,
                createdAt,
                announce,
                whose);
    }

    /** The same without what is large. */
    public ActivityRow withoutBodies() {
        return new ActivityRow(
                id,
                workspaceId,
                activityType,
                sourceId,
                targetId,
                method,
                summary,
                null,
                null,
                null,
                durationMs,
                status,
                errorDetail,
                idempotencyKey,
                workId,
                createdAt,
                announce,
                behalf);
    }

    private static @Nullable String withoutNul(@Nullable String text) {
        return text == null ? null : text.replace('\0', '\uFFFD');
    }
}
