package ai.molecule.runtime.tools;

import ai.molecule.sdk.InboundMessage;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Set;

/** Reading one's own messages, where nobody pushes them. */
final class InboxTools {

    static final Set<String> NAMES = Set.of("wait_for_message", "inbox_peek", "inbox_pop");

    private InboxTools() {}

    static String await(Toolbox toolbox, Arguments arguments) throws InterruptedException {
        int seconds = arguments.number("timeout_secs", 60, 0, 300);
        return inbox(toolbox)
                .await(Duration.ofSeconds(seconds))
                .map(arrived -> describe(arrived, toolbox))
                .orElseGet(() -> Json.object().put("timeout", true).put("timeout_secs", seconds))
                .toString();
    }

    static String peek(Toolbox toolbox, Arguments arguments) {
        var list = Json.MAPPER.createArrayNode();
        for (Inbox.Arrived arrived : inbox(toolbox).peek(arguments.number("limit", 10, 1, Inbox.MESSAGES_MAX))) {
            list.add(describe(arrived, toolbox));
        }
        return list.toString();
    }

    static String pop(Toolbox toolbox, Arguments arguments) {
        String id = arguments.text("activity_id");
        if (id.isEmpty()) {
            throw new ToolRefusal("activity_id is required");
        }
        return Json.object()
                .put("removed", inbox(toolbox).pop(id))
                .put("activity_id", id)
                .toString();
    }

    private static Inbox inbox(Toolbox toolbox) {
        return toolbox.inbox()
                .orElseThrow(() -> new ToolRefusal(
                        "inbox polling is not enabled in this runtime; your messages come to you by themselves"));
    }

    private static ObjectNode describe(Inbox.Arrived arrived, Toolbox toolbox) {
        InboundMessage message = arrived.message();
        JsonNode row = message.raw();
        String text = message.text().isEmpty() ? row.path("summary").asText("") : message.text();
        ObjectNode json = Json.object()
                .put("activity_id", message.activityId())
                .put("text", text.isEmpty() ? "(empty A2A message)" : text)
                .put("peer_id", message.sourceId())
                .put("kind", message.sourceId().isEmpty() ? "canvas_user" : "peer_agent")
                .put("method", row.path("method").asText(""))
                .put("created_at", row.path("created_at").asText(""));
        putUnlessEmpty(json, "peer_name", message.peerName());
        putUnlessEmpty(json, "peer_role", message.peerRole());
        putUnlessEmpty(json, "agent_card_url", message.agentCardUrl());
        return toolbox.workspaces().several() ? json.put("arrival_workspace_id", arrived.workspaceId()) : json;
    }

    private static void putUnlessEmpty(ObjectNode json, String key, String value) {
        if (!value.isEmpty()) {
            json.put(key, value);
        }
    }
}
