package ai.molecule.proxy.tasks;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.AnswerWords;
import ai.molecule.proxy.protocol.StreamedAnswer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
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

    /** The question in an answer that asks, else whatever it says; storable. */
    public static String asking(byte[] body) {
        try {
            var answer = Json.parse(body);
            String question = AnswerWords.ofStatus(answer.path("result"));
            return question.isEmpty() ? answered(answer).words() : cut(question);
        } catch (IOException notJson) {
            return "";
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
                : of(result);
    }

    /** Of the first events of a stream, in their order, and its last: of what they make together. */
    public static TaskWords streamed(List<byte[]> events, byte[] last) {
        return of(StreamedAnswer.of(events, last));
    }

    private static TaskWords of(JsonNode said) {
        var files = Json.MAPPER.createArrayNode();
        AnswerWords.parts(said).forEach(parts -> files(parts, files));
        return new TaskWords(cut(AnswerWords.of(said)), files.isEmpty() ? null : Json.text(files));
    }

    private static void files(JsonNode parts, ArrayNode files) {
        for (var part : parts) {
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
