package ai.molecule.cli.top;

import ai.molecule.cli.top.Key.Kind;
import java.io.IOException;
import java.util.Map;

/** Characters of a terminal as keys. An escape sequence comes at once; a lone escape is the key. */
final class Keys {

    /** The end of what is typed. */
    static final int END = -1;

    /** Nothing came in that time. */
    static final int LATE = -2;

    /** Long enough for a busy machine and a slow way; only an escape that nothing follows waits for it. */
    private static final long SEQUENCE_MILLIS = 500;

    /** A sequence that does not end by then is none. */
    private static final int SEQUENCE_MAX_CHARS = 16;

    private static final int ESCAPE = 27;

    private static final Map<String, Kind> SEQUENCES = Map.ofEntries(
            Map.entry("A", Kind.UP),
            Map.entry("B", Kind.DOWN),
            Map.entry("C", Kind.RIGHT),
            Map.entry("D", Kind.LEFT),
            Map.entry("H", Kind.HOME),
            Map.entry("F", Kind.END),
            Map.entry("Z", Kind.BACK_TAB),
            Map.entry("1~", Kind.HOME),
            Map.entry("7~", Kind.HOME),
            Map.entry("4~", Kind.END),
            Map.entry("8~", Kind.END),
            Map.entry("5~", Kind.PAGE_UP),
            Map.entry("6~", Kind.PAGE_DOWN));

    private static final Map<Integer, Kind> CONTROLS = Map.of(
            3, Kind.LEAVE,
            8, Kind.BACKSPACE,
            9, Kind.TAB,
            10, Kind.ENTER,
            12, Kind.REDRAW,
            13, Kind.ENTER,
            14, Kind.DOWN,
            16, Kind.UP,
            21, Kind.CLEAR,
            127, Kind.BACKSPACE);

    /** Where characters come from. */
    interface Source {
        /** @param millis how long to wait, 0 for as long as it takes; the character, {@link #END} or {@link #LATE} */
        int read(long millis) throws IOException;
    }

    private final Source source;
    private boolean pasting;
    private int ahead = LATE;

    Keys(Source source) {
        this.source = source;
    }

    /** The next, or {@link Kind#LEAVE} at the end. */
    Key next() throws IOException {
        int first = ahead == LATE ? source.read(0) : ahead;
        ahead = LATE;
        if (first == END) {
            return Key.of(Kind.LEAVE);
        }
        if (first == ESCAPE) {
            return sequence();
        }
        if (Character.isHighSurrogate((char) first)) {
            int second = source.read(SEQUENCE_MILLIS);
            return second < 0 || !Character.isLowSurrogate((char) second)
                    ? Key.of(Kind.OTHER)
                    : text(Character.toCodePoint((char) first, (char) second));
        }
        if (pasting) {
            return first < ' ' || first == 127 ? new Key(Kind.PASTED, ' ') : text(first);
        }
        return first < ' ' || first == 127 ? Key.of(CONTROLS.getOrDefault(first, Kind.OTHER)) : text(first);
    }

    private Key text(int codePoint) {
        return new Key(pasting ? Kind.PASTED : Kind.TYPED, codePoint);
    }

    private Key sequence() throws IOException {
        int introducer = source.read(SEQUENCE_MILLIS);
        if (introducer == LATE || introducer == END) {
            return Key.of(Kind.ESCAPE);
        }
        if (introducer != '[' && introducer != 'O') {
            ahead = introducer; // the key itself, and another soon after
            return Key.of(Kind.ESCAPE);
        }
        var said = new StringBuilder();
        while (said.length() < SEQUENCE_MAX_CHARS) {
            int next = source.read(SEQUENCE_MILLIS);
            if (next < 0) {
                break;
            }
            said.append((char) next);
            if (next >= '@' && next <= '~') {
                return ended(said.toString());
            }
        }
        return Key.of(Kind.OTHER);
    }

    private Key ended(String sequence) {
        if (sequence.equals("200~") || sequence.equals("201~")) {
            pasting = sequence.equals("200~");
            return Key.of(Kind.OTHER);
        }
        return Key.of(SEQUENCES.getOrDefault(sequence, Kind.OTHER));
    }
}
