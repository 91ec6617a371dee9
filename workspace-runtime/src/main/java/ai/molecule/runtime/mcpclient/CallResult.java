package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.mcpclient.McpFailure.Kind;
import ai.molecule.runtime.tools.Excerpt;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.StringJoiner;

/** What a tool answered, as text for a model. */
final class CallResult {

    /** A longer answer is cut, and says so. */
    static final int CHARS_MAX = 50_000;

    private CallResult() {}

    /** @throws McpFailure when it is no result of a tool */
    static String text(JsonNode result) {
        JsonNode content = result.path("content");
        boolean structured = result.path("structuredContent").isObject();
        if (!content.isArray() && !structured) {
            throw new McpFailure(Kind.REFUSED, "answered something that is no result of a tool");
        }
        var parts = new StringJoiner("\n");
        content.forEach(part -> parts.add(text(part, part.path("type").asText())));
        String text = content.isEmpty() && structured
                ? result.path("structuredContent").toString()
                : parts.toString();
        String told = text.length() <= CHARS_MAX
                ? text
                : Excerpt.of(text, CHARS_MAX) + "\n[" + (text.length() - CHARS_MAX) + " more characters are left out]";
        return result.path("isError").asBoolean() ? "Error: " + told : told.isBlank() ? "(nothing)" : told;
    }

    private static String text(JsonNode part, String type) {
        return switch (type) {
            case "text" -> part.path("text").asText();
            case "image", "audio" ->
                "[%s %s, not shown]".formatted(type, part.path("mimeType").asText());
            case "resource" ->
                part.at("/resource/text").asText("[" + part.at("/resource/uri").asText() + ", not shown]");
            case "resource_link" ->
                "[%s %s]".formatted(part.path("name").asText(), part.path("uri").asText());
            default -> "[" + Excerpt.of(type, 40) + ", not shown]";
        };
    }
}
