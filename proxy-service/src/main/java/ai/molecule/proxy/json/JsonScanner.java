package ai.molecule.proxy.json;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks one JSON text by RFC 8259 and notes where a few members of it stand. Nothing is converted, so nothing is lost: numbers
 * of any size, repeated names and escapes keep their bytes. Of a repeated name the last occurrence counts, as for every common
 * parser.
 */
public final class JsonScanner {

    /** Ten less than {@link ai.molecule.common.json.Json} reads, so that an event may wrap what passed here. */
    public static final int DEPTH_MAX = 190;

    /** The longest number. */
    public static final int NUMBER_MAX_CHARS = 1000;

    /** With that length no number is longer, written out, than {@link ai.molecule.common.json.Json} reads. */
    private static final int EXPONENT_MAX_DIGITS = 3;

    private static final Shape NOTHING = Shape.of();
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private final byte[] text;
    private final @Nullable Span[] found;
    private int at;

    private JsonScanner(byte[] text, int slots) {
        this.text = text;
        this.found = new Span[slots];
    }

    /** What a scan found, by slot of its shape. */
    public static final class Found {
        private final @Nullable Span[] spans;

        private Found(@Nullable Span[] spans) {
            this.spans = spans;
        }

        /** Null when the text has no such member. */
        public @Nullable Span at(int slot) {
            return spans[slot];
        }
    }

    /** Empty when {@code text} is not exactly one JSON value in UTF-8, or passes one of the bounds above. */
    public static Optional<Found> scan(byte[] text, Shape shape) {
        var scanner = new JsonScanner(text, shape.size());
        boolean one = scanner.value(shape.root(), 0) && scanner.atEnd();
        return one ? Optional.of(new Found(scanner.found)) : Optional.empty();
    }

    public static boolean isJson(byte[] text) {
        return scan(text, NOTHING).isPresent();
    }

    /** Whether the first value of {@code text} is an object, if it is JSON at all. */
    public static boolean startsAsObject(byte[] text) {
        int i = 0;
        while (i < text.length && isSpace(text[i])) {
            i++;
        }
        return i < text.length && text[i] == '{';
    }

    private boolean value(Shape.@Nullable Node node, int depth) {
        skipSpace();
        int start = at;
        boolean good =
                switch (peek()) {
                    case '{' -> object(node, depth + 1);
                    case '[' -> array(depth + 1);
                    case '"' -> string();
                    case 't' -> literal(TRUE);
                    case 'f' -> literal(FALSE);
                    case 'n' -> literal(NULL);
                    default -> number();
                };
        if (good && node != null && node.slot() >= 0) {
            found[node.slot()] = new Span(start, at);
        }
        return good;
    }

    private boolean object(Shape.@Nullable Node node, int depth) {
        at++;
        skipSpace();
        if (depth > DEPTH_MAX) {
            return false;
        }
        if (take('}')) {
            return true;
        }
        do {
            skipSpace();
            int start = at;
            if (peek() != '"' || !string()) {
                return false;
            }
            var member = node == null ? null : node.member(text, new Span(start, at));
            if (member != null) {
                member.slotsWithin().forEach(slot -> found[slot] = null); // of a repeated name the last one counts
            }
            skipSpace();
            if (!take(':') || !value(member, depth)) {
                return false;
            }
            skipSpace();
        } while (take(','));
        return take('}');
    }

    private boolean array(int depth) {
        at++;
        skipSpace();
        if (depth > DEPTH_MAX) {
            return false;
        }
        if (take(']')) {
            return true;
        }
        do {
            if (!value(null, depth)) {
                return false;
            }
            skipSpace();
        } while (take(','));
        return take(']');
    }

    private boolean string() {
        at++;
        while (at < text.length) {
            byte c = text[at++];
            if (c == '"') {
                return true;
            }
            if (c < 0) {
                at = Utf8.endOfCharacter(text, at - 1);
                if (at < 0) {
                    return false;
                }
            } else if (c < 0x20) {
                return false;
            }
            if (c == '\\' && !escape()) {
                return false;
            }
        }
        return false;
    }

    private boolean escape() {
        int c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> true;
            case 'u' -> fourHexDigits();
            default -> false;
        };
    }

    private boolean fourHexDigits() {
        for (int end = at + 4; at < end; at++) {
            int c = peek();
            if (c < 0 || Character.digit(c, 16) < 0) {
                return false;
            }
        }
        return true;
    }

    private boolean number() {
        int start = at;
        take('-');
        if (!take('0') && !digits()) {
            return false;
        }
        if (take('.') && !digits()) {
            return false;
        }
        if (take('e') || take('E')) {
            if (!take('+')) {
                take('-');
            }
            while (peek() == '0') {
                at++; // leading zeros say nothing
            }
            int exponent = at;
            boolean digits = digits() || text[at - 1] == '0';
            if (!digits || at - exponent > EXPONENT_MAX_DIGITS) {
                return false;
            }
        }
        return at - start <= NUMBER_MAX_CHARS;
    }

    private boolean digits() {
        int start = at;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        return at > start;
    }

    private boolean literal(byte[] word) {
        for (byte c : word) {
            if (!take((char) c)) {
                return false;
            }
        }
        return true;
    }

    private boolean take(char c) {
        if (at < text.length && text[at] == c) {
            at++;
            return true;
        }
        return false;
    }

    /** The next byte, -1 at the end. Bytes past ASCII are negative too and match nothing. */
    private int peek() {
        return at < text.length ? text[at] : -1;
    }

    private void skipSpace() {
        while (at < text.length && isSpace(text[at])) {
            at++;
        }
    }

    private boolean atEnd() {
        skipSpace();
        return at == text.length;
    }

    private static boolean isSpace(byte c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }
}
