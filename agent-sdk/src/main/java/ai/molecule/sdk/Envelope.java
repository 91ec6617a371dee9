package ai.molecule.sdk;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;

/** A {@code message/send} of one text part, in the words agents of the platform have always used: they answer with a message. */
final class Envelope {

    private Envelope() {}

    /** @param role {@code user} for a question, {@code agent} for an answer */
    static ObjectNode of(String role, String text) {
        return of(role, text, UUID.randomUUID().toString());
    }

    private static ObjectNode of(String role, String text, String messageId) {
        ObjectNode message =
                PlatformHttp.JSON.createObjectNode().put("role", role).put("messageId", messageId);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        ObjectNode envelope = call("message/send");
        envelope.putObject("params").set("message", message);
        return envelope;
    }

    /** Asks what became of a message; agents that know the method run no message twice. */
    static ObjectNode lookingUp(String messageId) {
        ObjectNode envelope = call("molecule/tasks/byMessage");
        envelope.putObject("params").put("messageId", messageId);
        return envelope;
    }

    static ObjectNode canceling(String taskId) {
        ObjectNode envelope = call("tasks/cancel");
        envelope.putObject("params").put("id", taskId);
        return envelope;
    }

    static ObjectNode goingOn(String taskId, String text, String messageId) {
        ObjectNode envelope = asking(text, messageId);
        ((ObjectNode) envelope.path("params").path("message")).put("taskId", taskId);
        return envelope;
    }

    private static ObjectNode call(String method) {
        return PlatformHttp.JSON
                .createObjectNode()
                .put("jsonrpc", "2.0")
                .put("id", UUID.randomUUID().toString())
                .put("method", method);
    }

    /** In the published protocol's own words, so that a peer of ours answers the task and with it how the work ended. */
    static ObjectNode asking(String text) {
        return asking(text, UUID.randomUUID().toString());
    }

    static ObjectNode asking(String text, String messageId) {
        ObjectNode envelope = of("user", text, messageId);
        ObjectNode params = (ObjectNode) envelope.path("params");
        ((ObjectNode) params.path("message")).put("kind", "message");
        params.putObject("configuration").put("blocking", true);
        return envelope;
    }
}
