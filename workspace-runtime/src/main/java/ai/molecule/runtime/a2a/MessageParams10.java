package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.IncomingMessage;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads the parameters of {@code SendMessage} and its streaming form. Members that 1.0 does not name are passed over; {@code null} is
 * absent, and so is an empty text where a member may be absent.
 */
final class MessageParams10 {

    private static final int KEY_MAX_CHARS = 256;
    private static final List<String> CONTENTS = List.of("text", "raw", "url", "data");
    private static final List<String> OF_THE_WORKSPACE =
            List.of("workspace:/workspace/", "file:///workspace/", "/workspace/");

    private MessageParams10() {}

    /** @throws RpcError -32602 naming the member, -32005 for what this agent cannot read, -32003 for a push configuration */
    static IncomingMessage read(JsonNode params, Optional<String> sender) {
        JsonNode message = params.path("message");
        if (!message.isObject()) {
            throw RpcError.invalidField("message", "is required");
        }
        key(message, "messageId", true);
        key(message, "contextId", false);
        key(message, "taskId", false);
        JsonNode role = message.path("role");
        if (!MessageForms.isUser(role) && !MessageForms.isAgent(role)) {
            throw RpcError.invalidField("message.role", "must be ROLE_USER or ROLE_AGENT");
        }
        JsonNode parts = message.path("parts");
        if (!parts.isArray() || parts.isEmpty()) {
            throw RpcError.invalidField("message.parts", "must be a list of at least one part");
        }
        for (int i = 0; i < parts.size(); i++) {
            checkPart("message.parts[" + i + "]", parts.get(i));
        }
        object(message, "metadata", "message.metadata");
        strings(message, "extensions");
        strings(message, "referenceTaskIds");
        object(params, "metadata", "metadata");
        checkConfiguration(params);
        return incoming(params, MessageForms.to03(message), sender);
    }

    private static IncomingMessage incoming(JsonNode params, ObjectNode message, Optional<String> sender) {
        return new IncomingMessage(
                message.path("messageId").asText(),
                Optional.ofNullable(message.path("contextId").textValue()),
                Optional.ofNullable(message.path("taskId").textValue()),
                wordsOf(message.path("parts")),
                message,
                params.path("metadata").isObject()
                        ? params.path("metadata")
                        : Json.object().path("none"),
                MessageParams.bytesHeldBy(params),
                sender);
    }

    /** Texts, and text files that came along. */
    private static String wordsOf(JsonNode parts) {
        var words = Json.array();
        for (JsonNode part : parts) {
            JsonNode bytes = part.path("file").path("bytes");
            words.add(
                    bytes.isTextual()
                            ? Json.object()
                                    .put(
                                            "text",
                                            new String(
                                                    Base64.getDecoder().decode(bytes.textValue()),
                                                    StandardCharsets.UTF_8))
                            : part);
        }
        return MessageParams.text(words);
    }

    private static void checkConfiguration(JsonNode params) {
        JsonNode configuration = params.path("configuration");
        object(params, "configuration", "configuration");
        if (configuration.hasNonNull("taskPushNotificationConfig")) {
            throw RpcError.pushNotSupported();
        }
        JsonNode immediately = configuration.path("returnImmediately");
        if (configuration.hasNonNull("returnImmediately") && !immediately.isBoolean()) {
            throw RpcError.invalidField("configuration.returnImmediately", "must be true or false");
        }
    }

    private static void checkPart(String at, JsonNode part) {
        List<String> held = CONTENTS.stream().filter(part::hasNonNull).toList();
        if (held.isEmpty() && part.has("data")) {
            held = List.of("data"); // null is data too
        }
        if (!part.isObject() || held.size() != 1) {
            throw RpcError.invalidField(at, "must have exactly one of text, raw, url and data");
        }
        String content = held.getFirst();
        if (!content.equals("data") && !part.path(content).isTextual()) {
            throw RpcError.invalidField(at + "." + content, "must be a string");
        }
        optionalText(part, "filename", at);
        optionalText(part, "mediaType", at);
        object(part, "metadata", at + ".metadata");
        checkType(at, part, content);
    }

    /** Words are read, data goes along, and of files those in the workspace are opened. */
    private static void checkType(String at, JsonNode part, String content) {
        String type = part.path("mediaType").asText("").toLowerCase(Locale.ROOT);
        boolean readable =
                switch (content) {
                    case "raw" -> type.startsWith("text/");
                    case "url" ->
                        type.isEmpty()
                                || type.startsWith("text/")
                                || OF_THE_WORKSPACE.stream()
                                        .anyMatch(part.path("url").asText()::startsWith);
                    case "data" -> type.isEmpty() || type.startsWith("application/json") || type.endsWith("+json");
                    default -> type.isEmpty() || type.startsWith("text/") || type.startsWith("application/json");
                };
        if (!readable) {
            throw RpcError.contentTypeNotSupported(
                    at + ".mediaType",
                    (type.isEmpty() ? "is required here" : "\"" + shown(type) + "\" is not read")
                            + ": this agent reads text, data and files of its workspace");
        }
        if (content.equals("raw")) {
            try {
                Base64.getDecoder().decode(part.path("raw").asText());
            } catch (IllegalArgumentException notBase64) {
                throw RpcError.invalidField(at + ".raw", "must be base64");
            }
        }
    }

    private static String shown(String type) {
        return type.length() <= 100 ? type : type.substring(0, 100);
    }

    private static void key(JsonNode message, String name, boolean required) {
        JsonNode value = message.path(name);
        boolean absent = value.isMissingNode()
                || value.isNull()
                || value.isTextual() && value.textValue().isEmpty();
        if (absent && required) {
            throw RpcError.invalidField("message." + name, "is required");
        }
        if (!absent
                && (!value.isTextual()
                        || value.textValue().isBlank()
                        || value.textValue().length() > KEY_MAX_CHARS)) {
            throw RpcError.invalidField("message." + name, "must be a string of 1 to " + KEY_MAX_CHARS + " characters");
        }
    }

    private static void optionalText(JsonNode part, String name, String at) {
        if (part.hasNonNull(name) && !part.path(name).isTextual()) {
            throw RpcError.invalidField(at + "." + name, "must be a string");
        }
    }

    private static void object(JsonNode in, String name, String path) {
        if (in.hasNonNull(name) && !in.path(name).isObject()) {
            throw RpcError.invalidField(path, "must be an object");
        }
    }

    private static void strings(JsonNode message, String name) {
        if (!message.hasNonNull(name)) {
            return;
        }
        boolean all = message.path(name).isArray();
        for (JsonNode each : message.path(name)) {
            all &= each.isTextual();
        }
        if (!all) {
            throw RpcError.invalidField("message." + name, "must be a list of strings");
        }
    }
}
