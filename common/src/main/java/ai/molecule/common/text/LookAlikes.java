package ai.molecule.common.text;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The table of characters that deceive: those that show nothing, and letters that fonts draw as others. Names are compared by it, and texts
 * made visible ({@link VisibleText}); the console has the same one in {@code visible.ts}.
 */
public final class LookAlikes {

    /** Code points, both ends included. */
    public record Range(int first, int last) {

        boolean has(int codePoint) {
            return first <= codePoint && codePoint <= last;
        }
    }

    /**
     * Controls, what changes the direction of text, joiners, fillers, selectors of variants, tags, and what no font needs to draw: halves of
     * characters and private letters. Neither tab nor the end of a line.
     */
    public static final List<Range> UNSEEN = ranges(
            0x0000, 0x0008, 0x000B, 0x001F, 0x007F, 0x009F, 0x00AD, 0x00AD, 0x034F, 0x034F, 0x061C, 0x061C, 0x115F,
            0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F, 0x200B, 0x200F, 0x2028, 0x202E, 0x2060, 0x206F, 0x2800, 0x2800,
            0x3164, 0x3164, 0xD800, 0xF8FF, 0xFE00, 0xFE0F, 0xFEFF, 0xFEFF, 0xFFA0, 0xFFA0, 0xFFF0, 0xFFFB, 0x1BCA0,
            0x1BCA3, 0x1D173, 0x1D17A, 0xE0000, 0x10FFFF);

    /**
     * Each letter of Cyrillic, Greek and Armenian before the Latin one that it looks like: of Unicode's confusables (UTS 39) those of one
     * letter for one letter. Capitals of their own, because a database need not know their small ones.
     */
    public static final String OF_OTHER_ALPHABETS = ""
            // Cyrillic capitals
            + "\u0410a\u0412b\u0421c\u0415e\u041Dh\u0406l\u0408j\u041Ak\u041Cm\u041Eo\u0420p\u0405s\u0422t\u0425x\u0423y\u04AEy\u0474v\u051Aq"
            + "\u051Cw\u04C0l\u0401\u00EB\u0407\u00EF"
            // Cyrillic small letters
            + "\u0430a\u0441c\u0501d\u0435e\u04BBh\u0456l\u0458j\u043Ak\u043Eo\u0440p\u051Bq\u0455s\u0475v\u051Dw\u0445x\u0443y\u04AFy\u04CFl"
            + "\u0451\u00EB\u0457\u00EF"
            // Greek capitals
            + "\u0391a\u0392b\u03F9c\u0395e\u0396z\u0397h\u0399l\u039Ak\u039Cm\u039Dn\u039Fo\u03A1p\u03A4t\u03A5y\u03A7x\u037Fj"
            // Greek small letters
            + "\u03B1a\u03F2c\u03B7n\u03B9l\u03F3j\u03BAk\u03BFo\u03C1p\u03BDv\u03C5u\u03B3y\u03C7x"
            // Armenian
            + "\u0555o\u054Fs\u0585o\u057Du\u0570h\u0566q\u0578n";

    /** The same of Latin letters that other Latin ones look like: {@code i}, {@code I}, {@code 1} and {@code l} are one, as are O and 0. */
    public static final String OF_LATIN = "\u0251a\u0261g\u0131l\u01C0l" + "Ilil1l0o";

    private LookAlikes() {}

    static boolean isUnseen(int codePoint) {
        for (var range : UNSEEN) {
            if (range.has(codePoint)) {
                return true;
            }
        }
        return false;
    }

    static boolean looksLatin(int codePoint) {
        for (int i = 0; i < OF_OTHER_ALPHABETS.length(); i += 2) {
            if (OF_OTHER_ALPHABETS.charAt(i) == codePoint) {
                return true;
            }
        }
        return false;
    }

    /** What shows nothing, as it stands between the brackets of a regular expression of PostgreSQL, whose texts hold neither NUL nor halves. */
    public static String unseenInSql() {
        return UNSEEN.stream()
                .map(range -> range.first() == 0xD800 ? new Range(0xE000, range.last()) : range)
                .map(range -> "\\U%08X-\\U%08X".formatted(Math.max(1, range.first()), range.last()))
                .collect(Collectors.joining());
    }

    private static List<Range> ranges(int... ends) {
        return IntStream.range(0, ends.length / 2)
                .mapToObj(nth -> new Range(ends[2 * nth], ends[2 * nth + 1]))
                .toList();
    }
}
