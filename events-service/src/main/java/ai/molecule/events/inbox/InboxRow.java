package ai.molecule.events.inbox;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.proxy.WaitsBehind;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A thing that waits for a person, or did.
 *
 * @param position of its last change in the inbox
 * @param expiresAt when it ends by itself; null for never
 * @param resolved whether it waits no more
 */
record InboxRow(
        UUID id,
        long position,
        String kind,
        UUID workspaceId,
        String words,
        JsonNode details,
        Instant openedAt,
        @Nullable Instant expiresAt,
        boolean resolved) {

    /** What it holds up; empty for what holds nothing up. */
    Optional<WaitsBehind.Held> held() {
        return switch (kind) {
            case "outcome_unknown", "price", "unusual_cost" -> Optional.empty(); // it went on without the answer
            case "webhook" -> Optional.empty(); // what it would have begun is not there
            case "limit" ->
                details.path("of").asText().equals("work")
                        ? Ids.find(details.path("id").asText())
                                .map(work -> new WaitsBehind.Held(id, workspaceId, null, work))
                        : Optional.empty();
            case "budget" ->
                details.path("percent").asInt() < 100
                        ? Optional.empty()
                        : Optional.of(new WaitsBehind.Held(id, workspaceId, null, null));
            case "approval", "question" -> {
                String task = details.path("task_id").asText();
                yield task.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new WaitsBehind.Held(id, workspaceId, task, null));
            }
            default -> Optional.of(new WaitsBehind.Held(id, workspaceId, null, null));
        };
    }

    /**
     * {@code {"id", "kind", "part", "workspace_id", "workspace_name", "text", "since", "expires_at", "position", "dismissible", "behind", "details"}}.
     *
     * @param behind null where nobody says
     */
    ObjectNode toJson(@Nullable String workspaceName, WaitsBehind.@Nullable Count behind) {
        var source = InboxSource.find(kind);
        var body = Json.object()
                .put("id", id.toString())
                .put("kind", kind)
                .put(
                        "part",
                        source.map(InboxSource::part)
                                .orElse(InboxSource.Part.FIX)
                                .wire())
                .put("workspace_id", workspaceId.toString())
                .put("workspace_name", workspaceName)
                .put("text", words)
                .put("since", Json.time(openedAt))
                .put("expires_at", Json.timeOrNull(expiresAt))
                .put("position", position)
                .put("dismissible", source.map(InboxSource::dismissible).orElse(true));
        body.set(
                "behind",
                behind == null
                        ? Json.MAPPER.nullNode()
                        : Json.object().put("tasks", behind.tasks()).put("works", behind.works()));
        body.set("details", details);
        return body;
    }
}
