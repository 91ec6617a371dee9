package ai.molecule.events.notify;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A message of an agent to the user.
 *
 * @param attachments each with {@code uri} and {@code name}, and {@code mimeType} and {@code size} when known
 */
record Notification(String message, List<ObjectNode> attachments) {

    static final String COMPLAINT = "message is required";

    private static final int SUMMARY_BYTES_MAX = 80;

    /** INVALID with the contract's texts; one bad attachment refuses the whole. */
    static Notification of(JsonBody body) {
        String message = body.requiredText("message");
        List<ObjectNode> attachments = new ArrayList<>();
        var listed = body.node("attachments");
        if (listed != null && !listed.isArray()) {
            throw body.bad();
        }
        for (int i = 0; listed != null && i < listed.size(); i++) {
            if (!(listed.get(i) instanceof ObjectNode attachment)) {
                throw body.bad();
            }
            attachments.add(attachment(i, JsonBody.parse(Json.buffer(attachment).getBytes(), COMPLAINT)));
        }
        return new Notification(message, List.copyOf(attachments));
    }

    private static ObjectNode attachment(int index, JsonBody given) {
        String uri = given.text("uri", "");
        String name = given.text("name", "");
        if (uri.isEmpty() || name.isEmpty()) {
            throw ApiError.invalid("attachment[%d]: uri and name are required".formatted(index));
        }
        var attachment = Json.object().put("uri", uri).put("name", name);
        String mimeType = given.text("mimeType", "");
        if (!mimeType.isEmpty()) {
            attachment.put("mimeType", mimeType);
        }
        long size = given.integer("size", 0);
        if (size != 0) {
            attachment.put("size", size);
        }
        return attachment;
    }

    /** The row's body, in the shape the canvas reloads: {@code {"result"[, "parts"]}}. */
    ObjectNode toResponseBody() {
        var body = Json.object().put("result", message);
        if (!attachments.isEmpty()) {
            var parts = body.putArray("parts");
            attachments.forEach(
                    attachment -> parts.addObject().put("kind", "file").set("file", attachment));
        }
        return body;
    }

    /** {@code Agent message: } and the first 80 bytes, cut between characters. */
    String summary() {
        return "Agent message: " + shortened(message);
    }

    ArrayNode attachmentsJson() {
        return Json.MAPPER.createArrayNode().addAll(attachments);
    }

    private static String shortened(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            bytes += Character.toString(text.codePointAt(i)).getBytes(StandardCharsets.UTF_8).length;
            if (bytes > SUMMARY_BYTES_MAX) {
                return text.substring(0, i) + "…";
            }
        }
        return text;
    }
}
