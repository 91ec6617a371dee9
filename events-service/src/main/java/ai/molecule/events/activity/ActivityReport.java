package ai.molecule.events.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What an agent reports of itself: the body of {@code POST /workspaces/:id/activity}, checked (docs/wire/events.md). */
final class ActivityReport {

    static final String COMPLAINT = "invalid request body";

    /** Before the id of the message in the key of a report of having sent it: said once, and found beside the row of who was told. */
    static final String SENT = "sent:";

    private static final int MESSAGE_ID_MAX_CHARS = 256;

    private static final List<String> TYPES =
            List.of("a2a_send", "a2a_receive", "task_update", "agent_log", "skill_promotion", "memory_write", "error");

    private ActivityReport() {}

    /**
     * The row to store. Its source is always the reporting workspace; a target that is no UUID is left out, as there is no such
     * workspace; {@code metadata} stands in for an absent request body.
     */
    static ActivityRow read(JsonBody body, UUID workspaceId, UUID id, Instant now) {
        String source = body.text("source_id");
        String type = type(body);
        if (source != null && !source.isEmpty() && !source.equalsIgnoreCase(workspaceId.toString())) {
            throw ApiError.forbidden("source_id must match authenticated workspace");
        }
        var request = body.node("request_body");
        return new ActivityRow(
                id,
                workspaceId,
                type,
                workspaceId,
                Ids.find(body.text("target_id")).orElse(null),
                textOrNull(body, "method"),
                textOrNull(body, "summary"),
                json(request == null ? body.node("metadata") : request),
                json(body.node("response_body")),
                null,
                body.node("duration_ms") == null ? null : body.int32("duration_ms", 0),
                statusOf(body),
                textOrNull(body, "error_detail"),
                sent(type, textOrNull(body, "message_id")),
                null,
                now,
                true);
    }

    private static String type(JsonBody body) {
        String type = body.text("activity_type");
        if (type == null || type.isEmpty()) {
            throw ApiError.invalid(COMPLAINT + ": ActivityType is required");
        }
        if (!TYPES.contains(type)) {
            throw ApiError.invalid("invalid activity_type, must be one of: " + String.join(", ", TYPES));
        }
        return type;
    }

    private static @Nullable String sent(String type, @Nullable String messageId) {
        boolean named = type.equals("a2a_send") && messageId != null && messageId.length() <= MESSAGE_ID_MAX_CHARS;
        return named ? SENT + messageId : null;
    }

    private static String statusOf(JsonBody body) {
        String status = textOrNull(body, "status");
        return status == null ? "ok" : status;
    }

    private static @Nullable String textOrNull(JsonBody body, String name) {
        String text = body.text(name);
        return text == null || text.isEmpty() ? null : text;
    }

    private static @Nullable String json(@Nullable JsonNode node) {
        return node == null ? null : Json.text(node);
    }
}
