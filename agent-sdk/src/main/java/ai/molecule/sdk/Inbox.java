package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Messages to this agent, and the way back to whoever sent them. */
final class Inbox {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private final ClientConfig config;
    private final PlatformHttp http;

    Inbox(ClientConfig config, PlatformHttp http) {
        this.config = config;
        this.http = http;
    }

    List<InboundMessage> fetch(InboundQuery query) {
        String path = "/workspaces/" + PlatformHttp.encoded(config.workspaceId()) + "/activity" + query.asQueryString();
        JsonNode body;
        try {
            body = http.get(path, TIMEOUT.plus(query.heldOpen()));
        } catch (PlatformException e) {
            throw e.status() == 410 ? new CursorLostException(e.error()) : e;
        }
        List<InboundMessage> messages = new ArrayList<>();
        for (JsonNode row : body.isObject() ? body.path("items") : body) {
            InboundMessage.fromRow(row).ifPresent(messages::add);
        }
        return List.copyOf(messages);
    }

    void reply(InboundMessage message, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("refusing to send an empty reply");
        }
        switch (message.source()) {
            case CANVAS_USER -> notifyUser(text);
            case PEER_AGENT -> answerPeer(message.sourceId(), text);
            case UNKNOWN ->
                throw new IllegalArgumentException(
                        "nobody to reply to: message " + message.activityId() + " does not say who sent it");
        }
    }

    private void notifyUser(String text) {
        ObjectNode body = PlatformHttp.JSON.createObjectNode().put("message", text);
        http.tell("/workspaces/" + PlatformHttp.encoded(config.workspaceId()) + "/notify", body, TIMEOUT);
    }

    private void answerPeer(String peerId, String text) {
        if (peerId.isEmpty()) {
            throw new IllegalArgumentException("nobody to reply to: the message names no peer");
        }
        String self = config.workspaceId();
        http.tell(
                "/workspaces/" + PlatformHttp.encoded(peerId) + "/a2a",
                Envelope.of("agent", text),
                TIMEOUT,
                "X-Source-Workspace-Id",
                self,
                "X-Workspace-ID",
                self);
    }
}
