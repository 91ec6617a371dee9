package ai.molecule.proxy.models;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Counts what a model wrote in one event of a stream from the event's bytes, without making a tree of them: for nearly every chunk of every
 * stream that is all there is to know. What it does not understand, or could tell of usage, is left to who reads the tree.
 */
final class WrittenText {

    /** The tree has to be looked at. */
    static final int UNKNOWN = -1;

    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);
    private static final String DELTA = "delta";
    private static final String CHOICES = "choices";
    private static final int DEPTH_MAX = 32;
    private static final int NAME_MAX_BYTES = 32;

    private final byte[] bytes;
    private final int bytesPerToken;
    private final Set<String> noOutput;
    private int at;
    private int tokens;

    private WrittenText(byte[] bytes, int bytesPerToken, Set<String> noOutput) {
        this.bytes = bytes;
        this.bytesPerToken = bytesPerToken;
        this.noOutput = noOutput;
    }

    /**
     * Tokens, or {@link #UNKNOWN}: for an event whose data is not one line with an object and nothing behind it, for one that names a usage
     * which is not null.
     *
     * @param noOutput names of members that say what a piece is
     */
    static int tokensIn(byte[] event, int bytesPerToken, Set<String> noOutput) {
        int start = lineOfData(event);
        if (start < 0) {
            return UNKNOWN;
        }
        var text = new WrittenText(event, bytesPerToken, noOutput);
        text.at = start + DATA.length;
        try {
            text.space();
            return text.next() == '{' && text.top() && text.isOver() ? text.tokens : UNKNOWN;
        } catch (ArrayIndexOutOfBoundsException cutOff) {
            return UNKNOWN;
        }
    }

    /** Of the only line of data; -1 when there is none, or another one. */
    private static int lineOfData(byte[] event) {
        int found = -1;
        for (int line = 0; line < event.length; ) {
            if (startsWith(event, line, DATA)) {
                if (found >= 0) {
                    return -1;
                }
                found = line;
            }
            while (line < event.length && event[line] != '\n' && event[line] != '\r') {
                line++;
            }
            line++;
        }
        return found;
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

    private boolean isOver() {
        return at < bytes.length && (bytes[at] == '\n' || bytes[at] == '\r');
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
                        case "usage", "response", "message", "error" -> none();
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
                if (name.equals("usage")) {
                    return -1;
                }
                counted &= !noOutput.contains(name);
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

    /** Of a member, with its colon; a long or escaped one is none of those that matter. */
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
        return length > NAME_MAX_BYTES ? "" : new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    /** Steps over a text in quotes: its length. */
    private int text() {
        at++;
        int length = 0;
        for (byte c = bytes[at]; c != '"'; c = bytes[at]) {
            if (c == '\\') {
                at += bytes[at + 1] == 'u' ? 6 : 2;
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
