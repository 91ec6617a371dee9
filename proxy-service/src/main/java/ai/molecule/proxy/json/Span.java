package ai.molecule.proxy.json;

import ai.molecule.common.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Where a JSON value stands in its text: from {@code start}, before {@code end}. */
public record Span(int start, int end) {

    public String in(byte[] text) {
        return new String(text, start, end - start, StandardCharsets.UTF_8);
    }

    /** Whether the value is of the kind that starts with this character: a string, an object, an array. */
    public boolean startsWith(byte[] text, char first) {
        return text[start] == first;
    }

    /** The content of a string value, escapes resolved. */
    public String stringIn(byte[] text) {
        return hasEscapes(text)
                ? unescaped(text)
                : new String(text, start + 1, end - start - 2, StandardCharsets.UTF_8);
    }

    boolean hasEscapes(byte[] text) {
        for (int i = start + 1; i < end - 1; i++) {
            if (text[i] == '\\') {
                return true;
            }
        }
        return false;
    }

    private String unescaped(byte[] text) {
        try {
            return Json.MAPPER.readTree(text, start, end - start).textValue();
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }
}
