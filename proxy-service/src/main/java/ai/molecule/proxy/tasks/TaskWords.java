package ai.molecule.proxy.tasks;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a message or an answer says in words, and the files it names.
 *
 * @param words at most 64 KiB of characters; storable
 * @param files JSON text of an array of {@code {"uri","name","mimeType"}}, at most 20; null when there are none
 */
public record TaskWords(String words, @Nullable String files) {

    public static final int WORDS_MAX_CHARS = 64 * 1024;

    private static final int PREVIEW_MAX = 60;
    private static final int FILES_MAX = 20;
    private static final int NAME_MAX_CHARS = 1_024;
    private static final List<String> WRAPPERS = List.of("task", "statusUpdate", "artifactUpdate", "message");
    private static final TaskWords NONE = new TaskWords("", null);

    /** Of a JSON-RPC request. */
    public static TaskWords asked(byte[] body) {
        try {
            return of(Json.parse(body).path("params").path("message"));
        } catch (IOException notJson) {
            return NONE;
        }
    }

    /** Of its answer, not yet read. */
    public static TaskWords answered(byte[] body) {
        try {
            return answered(Json.parse(body));
        } catch (IOException notJson) {
            return NONE;
        }
    }

    /** Of its answer; a missing node where that is no JSON. */
    public static TaskWords answered(JsonNode answer) {
        var result = answer.path("result");
        if (result.isTextual()) {
            return new TaskWords(cut(result.textValue()), null);
        }
        return result.isMissingNode()
                ? new TaskWords(cut(answer.path("error").path("message").asText()), null)
                : of(unwrapped(result));
    }

    /**
     * Of the events of a stream, in their order: the chunks of its artifacts, else the last that says something. A whole task repeats
     * what the chunks before it said.
     */
    public static TaskWords streamed(List<byte[]> events) {
        var chunks = new StringBuilder();
        var files = Json.MAPPER.createArrayNode();
        var last = NONE;
        for (byte[] event : events) {
            var update = read(event);
            var chunk = update.path("artifact").path("parts");
            if (chunk.isArray()) {
                chunk(chunk, update.path("append").asBoolean(), chunks, files);
                continue;
            }
            var said = of(update);
            if (!said.isNothing()) {
                last = said;
            }
            if (!update.path("artifacts").isEmpty() && !said.isNothing()) {
                chunks.setLength(0);
                files.removeAll();
            }
        }
        return chunks.isEmpty() && files.isEmpty() ? last : with(chunks, files);
    }

    private static JsonNode read(byte[] event) {
        try {
            return unwrapped(Json.parse(event).path("result"));
        } catch (IOException notJson) {
            return MissingNode.getInstance();
        }
    }

    private static void chunk(JsonNode parts, boolean append, StringBuilder chunks, ArrayNode files) {
        var said = new StringBuilder();
        parts(parts, said, files);
        if (chunks.length() < WORDS_MAX_CHARS) {
            chunks.append(append || chunks.isEmpty() ? "" : "\n").append(said);
        }
    }

    private boolean isNothing() {
        return words.isEmpty() && files == null;
    }

    /** A2A 1.0 names what it is. */
    private static JsonNode unwrapped(JsonNode result) {
        for (String name : WRAPPERS) {
            if (result.path(name).isObject()) {
                return result.path(name);
            }
        }
        return result;
    }

    private static TaskWords of(JsonNode said) {
        var words = new StringBuilder();
        var files = Json.MAPPER.createArrayNode();
        parts(said.path("parts"), words, files);
        for (var artifact : said.path("artifacts")) {
            parts(artifact.path("parts"), words, files);
        }
        parts(said.path("artifact").path("parts"), words, files);
        if (words.isEmpty()) {
            parts(said.path("status").path("message").path("parts"), words, files);
        }
        return with(words, files);
    }

    private static TaskWords with(StringBuilder words, ArrayNode files) {
        return new TaskWords(cut(words.toString()), files.isEmpty() ? null : Json.text(files));
    }

    private static void parts(JsonNode parts, StringBuilder words, ArrayNode files) {
        for (var part : parts) {
            if (part.path("text").isTextual() && words.length() < WORDS_MAX_CHARS) {
                words.append(words.isEmpty() ? "" : "\n")
                        .append(part.path("text").textValue());
            }
            var file = part.path("file");
            if (file.path("uri").isTextual() && files.size() < FILES_MAX) {
                files.addObject()
                        .put("uri", name(file.path("uri")))
                        .put("name", name(file.path("name")))
                        .put("mimeType", name(file.path("mimeType")));
            }
            if (part.path("url").isTextual() && files.size() < FILES_MAX) { // as 1.0 writes one
                files.addObject()
                        .put("uri", name(part.path("url")))
                        .put("name", name(part.path("filename")))
                        .put("mimeType", name(part.path("mediaType")));
            }
        }
    }

    private static String name(JsonNode text) {
        String name = storable(text.asText(""));
        return name.length() > NAME_MAX_CHARS ? name.substring(0, NAME_MAX_CHARS) : name;
    }

    private static String cut(String text) {
        return storable(text.length() > WORDS_MAX_CHARS ? text.substring(0, WORDS_MAX_CHARS) : text);
    }

    /** PostgreSQL's text has no NUL, and no halves of characters. */
    private static String storable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || Character.isSurrogate(c)) {
                return text.codePoints()
                        .map(point -> point == 0 || (point >= 0xD800 && point <= 0xDFFF) ? 0xFFFD : point)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
            }
        }
        return text;
    }

    /** The first 60 characters, on one line. */
    static String preview(String words) {
        var line = new StringBuilder(PREVIEW_MAX);
        boolean space = false;
        for (int i = 0; i < words.length(); ) {
            int point = words.codePointAt(i);
            i += Character.charCount(point);
            if (isSpace(point)) {
                space = !line.isEmpty();
                continue;
            }
            if (line.length() + (space ? 1 : 0) + Character.charCount(point) > PREVIEW_MAX) {
                return space && line.length() < PREVIEW_MAX ? line.append(' ').toString() : line.toString();
            }
            line.append(space ? " " : "").appendCodePoint(point); // half a character cannot be stored
            space = false;
        }
        return line.toString();
    }

    private static boolean isSpace(int point) {
        return Character.isWhitespace(point);
    }
}
