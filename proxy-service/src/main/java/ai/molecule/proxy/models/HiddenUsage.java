package ai.molecule.proxy.models;

import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Takes out of a chat stream the usage that the door asked for and the caller did not. Everything else keeps its bytes. */
final class HiddenUsage {

    private static final Shape SHAPE = Shape.of("usage", "choices");
    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NAME = "\"usage\"".getBytes(StandardCharsets.US_ASCII);

    private HiddenUsage() {}

    /** Whether there is anything to be taken out of these events. */
    static boolean isNamedIn(byte[] events) {
        return contains(events, NAME);
    }

    /** The event without it; null when it was there for that alone. */
    static @Nullable Buffer without(Buffer event) {
        byte[] bytes = event.getBytes();
        if (!startsWith(bytes, 0, DATA) || !contains(bytes, NAME)) {
            return event;
        }
        byte[] data = event.getBytes(DATA.length, event.length());
        var found = JsonScanner.scan(data, SHAPE).orElse(null);
        var usage = found == null ? null : found.at(0);
        if (found == null || usage == null) {
            return event;
        }
        var choices = found.at(1);
        boolean alone =
                choices != null && choices.in(data).replaceAll("\\s", "").equals("[]");
        if (alone && usage.startsWith(data, '{')) {
            return null;
        }
        int name = usage.start() - 1;
        while (!startsWith(data, name, NAME)) {
            name--;
        }
        int from = name;
        while (isSpace(data[from - 1])) {
            from--;
        }
        int to = usage.end();
        if (data[from - 1] == ',') {
            from--;
        } else {
            while (isSpace(data[to])) {
                to++;
            }
            to += data[to] == ',' ? 1 : 0;
        }
        return Buffer.buffer(bytes.length)
                .appendBytes(bytes, 0, DATA.length + from)
                .appendBytes(data, to, data.length - to);
    }

    private static boolean contains(byte[] text, byte[] word) {
        for (int at = 0; at <= text.length - word.length; at++) {
            if (text[at] == word[0] && startsWith(text, at, word)) {
                return true;
            }
        }
        return false;
    }

    private static boolean startsWith(byte[] text, int at, byte[] word) {
        for (int i = 0; i < word.length; i++) {
            if (at + i >= text.length || text[at + i] != word[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSpace(byte c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }
}
