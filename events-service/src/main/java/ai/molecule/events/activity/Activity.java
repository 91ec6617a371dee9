package ai.molecule.events.activity;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One stored row. */
public record Activity(
        UUID id,
        UUID workspaceId,
        String type,
        @Nullable UUID sourceId,
        @Nullable UUID targetId,
        @Nullable String method,
        @Nullable String summary,
        @Nullable Integer durationMs,
        String status,
        @Nullable String errorDetail,
        Instant createdAt,
        @Nullable JsonNode requestBody,
        @Nullable JsonNode responseBody,
        @Nullable JsonNode toolTrace,
        @Nullable Behalf behalf) {

    /** As docs/wire/events.md lists them: what is not known is null, but bodies and trace that are not there are absent. */
    public ObjectNode toJson() {
        var row = Json.object()
                .put("id", id.toString())
                .put("workspace_id", workspaceId.toString())
                .put("activity_type", type)
                .put("source_id", text(sourceId))
                .put("target_id", text(targetId))
                .put("method", method)
                .put("summary", summary)
                .put("duration_ms", durationMs)
                .put("status", status)
                .put("error_detail", errorDetail)
                .put("created_at", Json.time(createdAt));
        putIfThere(row, "request_body", requestBody);
        putIfThere(row, "response_body", responseBody);
        putIfThere(row, "tool_trace", toolTrace);
        if (behalf != null) {
            row.put("passport_id", behalf.passportId().toString()).put("on_behalf_of", behalf.principal());
        }
        return row;
    }

    private static void putIfThere(ObjectNode row, String key, @Nullable JsonNode value) {
        if (value != null) {
            row.set(key, value);
        }
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }
}
