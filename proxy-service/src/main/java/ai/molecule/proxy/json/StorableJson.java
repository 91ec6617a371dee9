package ai.molecule.proxy.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * JSON as PostgreSQL's {@code jsonb} takes it: {@code \}{@code u0000} and escaped halves of surrogate pairs, which are JSON but
 * not storable, become U+FFFD. Only what is written down goes through here; what is forwarded does not.
 */
public final class StorableJson {

    private static final byte[] REPLACEMENT = "\\ufffd".getBytes(StandardCharsets.US_ASCII);
    private static final int ESCAPE_LENGTH = 6;

    private StorableJson() {}

    /** @param json valid JSON, so that a backslash stands in strings only and a {@code \}{@code u} has its four digits */
    public static String of(byte[] json) {
        return hasUnicodeEscape(json) ? replaced(json) : new String(json, StandardCharsets.UTF_8);
    }

    private static boolean hasUnicodeEscape(byte[] json) {
        for (int i = 1; i < json.length; i++) {
            if (json[i] == 'u' && json[i - 1] == '\\') {
                return true;
            }
        }
        return false;
    }

    private static String replaced(byte[] json) {
        var kept = new ByteArrayOutputStream(json.length);
        int i = 0;
        while (i < json.length) {
            if (json[i] != '\\') {
                kept.write(json[i++]);
            } else if (json[i + 1] != 'u') {
                kept.write(json, i, 2);
                i += 2;
            } else {
                int length = unitAt(json, i);
                kept.write(length == 0 ? REPLACEMENT : json, length == 0 ? 0 : i, length == 0 ? ESCAPE_LENGTH : length);
                i += length == 0 ? ESCAPE_LENGTH : length;
            }
        }
        return kept.toString(StandardCharsets.UTF_8);
    }

    /** How many bytes make up the character escaped at {@code i}; 0 when it cannot be stored. */
    private static int unitAt(byte[] json, int i) {
        char unit = hex(json, i + 2);
        if (unit == 0 || Character.isLowSurrogate(unit)) {
            return 0;
        }
        if (!Character.isHighSurrogate(unit)) {
            return ESCAPE_LENGTH;
        }
        int next = i + ESCAPE_LENGTH;
        boolean pair = next + 1 < json.length
                && json[next] == '\\'
                && json[next + 1] == 'u'
                && Character.isLowSurrogate(hex(json, next + 2));
        return pair ? 2 * ESCAPE_LENGTH : 0;
    }

    private static char hex(byte[] json, int from) {
        return (char) Integer.parseInt(new String(json, from, 4, StandardCharsets.US_ASCII), 16);
    }
}
