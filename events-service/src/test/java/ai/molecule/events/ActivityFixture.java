package ai.molecule.events;

import ai.molecule.common.activity.ActivityRow;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Activity rows as other services send them. */
final class ActivityFixture {

    static final Instant NOON = Instant.parse("2026-03-30T12:00:00.123456Z");

    private ActivityFixture() {}

    static ActivityRow received(UUID workspaceId, @Nullable UUID sourceId, String text) {
        String request = "{\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}}".formatted(text);
        return row(UUID.randomUUID(), workspaceId, sourceId, "message/send", text, request, null, NOON);
    }

    static ActivityRow row(
            UUID id,
            UUID workspaceId,
            @Nullable UUID sourceId,
            String method,
            String summary,
            @Nullable String request,
            @Nullable String idempotencyKey,
            Instant createdAt) {
        return new ActivityRow(
                id,
                workspaceId,
                "a2a_receive",
                sourceId,
                workspaceId,
                method,
                summary,
                request,
                null,
                null,
                12,
                "ok",
                null,
                idempotencyKey,
                null,
                createdAt,
                true);
    }
}
