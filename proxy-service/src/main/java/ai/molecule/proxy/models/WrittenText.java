package ai.molecule.proxy.models;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Counts what a model wrote in events of a stream from their bytes, without making trees or texts of them: for nearly every chunk of every
 * stream that is all there is to know. What it does not understand, or could tell of usage, is left to who reads the tree.
 */
final class WrittenText {

    /** The tree has to be looked at. */
    static final int UNKNOWN = -1;

    /** Members that say what a piece is, and are not written by the model. */
    static final Set<String> NO_OUTPUT = Set.of("role", "type", "id", "name", "signature", "object", "status");

    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);
    private static final String DELTA = "delta";
    private static final String CHOICES = "choices";
    private static final String USAGE = "usage";
    private static final int DEPTH_MAX = 32;

    /** A name that matters, as it is in the bytes. */
    private record Name(String text, byte[] bytes) {

        private Name(String text) {
            this(text, text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static final List<Name> NAMES = Stream.concat(
                    Stream.of(DELTA, CHOICES, USAGE, "response", "message", "error"), NO_OUTPUT.stream())
            .map(Name::new)
            .toList();

    private static final String ANY_OTHER = "";

    private final byte[] bytes;
    private final int bytesPerToken;
    private int at;
    private int tokens;

    private WrittenText(byte[] bytes, int bytesPerToken) {
        this.bytes = bytes;
        this.bytesPerToken = bytesPerToken;
    }

    /**
     * Tokens of one event or of several, or {@link #UNKNOWN}: for one that is cut off, for data that is not one line with an object and
     * nothing behind it, for an event that names a usage which is not null.
     */
    static int tokensIn(byte[] events, int bytesPerToken) {
        var text = new WrittenText(events, bytesPerToken);
        try {
            return text.all() ? text.tokens : UNKNOWN;
        } catch (ArrayIndexOutOfBoundsException cutOff) {
            return UNKNOWN;
        }
    }

    private boolean all() {
        boolean inEvent = false;
        boolean data = false;
        while (at < bytes.length) {
            if (isLineEnd()) {
                inEvent = false;
                data = false;
            } else {
                inEvent = true;
                if (startsWith(bytes, at, DATA)) {
                    if (data || !object()) {
                        return false;
                    }
                    data = true;
                } else {
                    restOfLine();
                }
            }
            endLine();
        }
        return !inEvent;
    }

    private boolean object() {
        at += DATA.length;
        return next() == '{' && top() && isLineEnd();
    }

    private void restOfLine() {
        while (!isLineEnd()) {
            at++;
        }
    }

    private boolean isLineEnd() {
        return bytes[at] == '\n' || bytes[at] == '\r';
    }

    /** Whether more belongs to a line end that comes last nobody knows, so that is left to who keeps it. */
    private void endLine() {
        if (bytes[at] == '\r' && bytes[at + 1] == '\n') {
            at++;
        }
        at++;
    }

    private static boolean startsWith(byte[] text, int from, byte[] word) {
        if (text.length - from < word.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (text[from + i] != word[i]) {
                return false;
            }
        }
        return true;
    }

    /** The object of the event; false when the tree is to be looked at. */
    private boolean top() {
        at++;
        for (boolean more = begins('}'); more; more = goesOn('}')) {
            String name = name();
            boolean understood =
                    switch (name) {
                        case DELTA -> piece();
                        case CHOICES -> choices();
                        case USAGE, "response", "message", "error" -> none();
                        default -> value(false) >= 0;
                    };
            if (!understood) {
                return false;
            }
        }
        return true;
    }

    private boolean choices() {
        if (next() != '[') {
            return value(false) >= 0;
        }
        at++;
        for (boolean more = begins(']'); more; more = goesOn(']')) {
            if (next() != '{') {
                return false;
            }
            at++;
            for (boolean member = begins('}'); member; member = goesOn('}')) {
                if (!(name().equals(DELTA) ? piece() : value(false) >= 0)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean piece() {
        int length = value(true);
        if (length < 0) {
            return false;
        }
        tokens += Math.ceilDiv(length, bytesPerToken);
        return true;
    }

    /** Where it is null it says nothing. */
    private boolean none() {
        if (next() != 'n') {
            return false;
        }
        at += 4;
        return true;
    }

    /** Steps over a value; how long its texts are where they count, as characters of UTF-16; -1 for what is not understood. */
    private int value(boolean counts) {
        return value(counts, 0);
    }

    private int value(boolean counts, int depth) {
        byte first = next();
        if (depth > DEPTH_MAX) {
            return -1;
        }
        if (first == '"') {
            int length = text();
            return counts ? length : 0;
        }
        if (first != '{' && first != '[') {
            while (",]} \n\r\t".indexOf(bytes[at]) < 0) {
                at++;
            }
            return 0;
        }
        boolean object = first == '{';
        char close = object ? '}' : ']';
        int sum = 0;
        at++;
        for (boolean more = begins(close); more; more = goesOn(close)) {
            boolean counted = counts;
            if (object) {
                String name = name();
                if (name.equals(USAGE)) {
                    return -1;
                }
                counted = counted && !NO_OUTPUT.contains(name);
            }
            int length = value(counted, depth + 1);
            if (length < 0) {
                return -1;
            }
            sum += length;
        }
        return sum;
    }

    /** Whether there is a first one; behind the bracket that closes when there is none. */
    private boolean begins(char close) {
        if (next() != close) {
            return true;
        }
        at++;
        return false;
    }

    private boolean goesOn(char close) {
        byte found = next();
        at++;
        if (found != ',' && found != close) {
            throw new ArrayIndexOutOfBoundsException();
        }
        return found == ',';
    }

    /** Of a member, with its colon; an escaped one is none of those that matter. */
    private String name() {
        if (next() != '"') {
            throw new ArrayIndexOutOfBoundsException();
        }
        int from = at + 1;
        text();
        int length = at - 1 - from;
        if (next() != ':') {
            throw new ArrayIndexOutOfBoundsException();
        }
        at++;
        for (var name : NAMES) {
            if (name.bytes.length == length && startsWith(bytes, from, name.bytes)) {
                return name.text;
            }
        }
        return ANY_OTHER;
    }

    /** Steps over a text in quotes: its length. No text goes over the end of a line, so nothing here leads into another event. */
    private int text() {
        at++;
        int length = 0;
        for (byte c = bytes[at]; c != '"'; c = bytes[at]) {
            if (c == '\n' || c == '\r') {
                throw new ArrayIndexOutOfBoundsException();
            } else if (c == '\\') {
                for (int i = bytes[at + 1] == 'u' ? 6 : 2; i > 0; i--) {
                    at += isLineEnd() ? bytes.length : 1;
                }
                length++;
            } else {
                at++;
                length += (c & 0xC0) == 0x80 ? 0 : (c & 0xF8) == 0xF0 ? 2 : 1;
            }
        }
        at++;
        return length;
    }

    private byte next() {
        space();
        return bytes[at];
    }

    private void space() {
        while (bytes[at] == ' ' || bytes[at] == '\t') {
            at++;
        }
    }
}
