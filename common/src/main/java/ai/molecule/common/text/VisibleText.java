package ai.molecule.common.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Text of others as a person may decide on it: what shows nothing, turns the direction of text or passes for another letter is written out,
 * {@code ⟨U+202E⟩}. A letter passes for another where a word with Latin letters has a Cyrillic, Greek or Armenian one that looks Latin. Joiners
 * and selectors that emoji, Arabic and the alphabets of India need stay. The console does the same ({@code visible.ts}).
 */
public final class VisibleText {

    private static final Pattern HARMLESS = Pattern.compile("[\\x20-\\x7E\n\t]*");
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{M}\\p{N}\\p{Cf}\u034F]+");
    private static final Pattern LATIN = Pattern.compile("\\p{IsLatin}");
    private static final Pattern PICTURE = Pattern.compile("\\p{IsExtended_Pictographic}");
    private static final Pattern SKIN = Pattern.compile("\\p{IsEmoji_Modifier}");

    private static final int NONE = -1;
    private static final int NOT_JOINED = 0x200C;
    private static final int JOINED = 0x200D;
    private static final int AS_PICTURE = 0xFE0F;
    private static final int AS_TEXT = 0xFE0E;
    private static final int KEYCAP = 0x20E3;

    private VisibleText() {}

    /** For a value that stands in a line: tabs and ends of lines are written out, too. */
    public static String line(String text) {
        return lines(text).replace("\n", written('\n')).replace("\t", written('\t'));
    }

    /** For lines: tabs and ends of lines stay. */
    public static String lines(String text) {
        return HARMLESS.matcher(text).matches()
                ? text
                : seen(WORD.matcher(text).replaceAll(word -> Matcher.quoteReplacement(plain(word.group()))));
    }

    private static String plain(String word) {
        return LATIN.matcher(word).find()
                ? word.codePoints()
                        .mapToObj(each -> LookAlikes.looksLatin(each) ? written(each) : Character.toString(each))
                        .collect(Collectors.joining())
                : word;
    }

    private static String seen(String text) {
        int[] all = text.codePoints().toArray();
        var shown = new StringBuilder(text.length());
        for (int i = 0; i < all.length; i++) {
            int before = i == 0 ? NONE : all[i - 1];
            int after = i + 1 == all.length ? NONE : all[i + 1];
            if (LookAlikes.isUnseen(all[i]) && !isNeeded(before, all[i], after)) {
                shown.append(written(all[i]));
            } else {
                shown.appendCodePoint(all[i]);
            }
        }
        return shown.toString();
    }

    private static boolean isNeeded(int before, int unseen, int after) {
        return switch (unseen) {
            case AS_PICTURE, AS_TEXT -> is(PICTURE, before) || isOfKeycap(before) && after == KEYCAP;
            case JOINED ->
                (is(PICTURE, before) || is(SKIN, before) || before == AS_PICTURE) && is(PICTURE, after)
                        || isJoining(before) && isJoining(after);
            case NOT_JOINED -> isJoining(before) && isJoining(after);
            default -> false;
        };
    }

    private static boolean isOfKeycap(int codePoint) {
        return '0' <= codePoint && codePoint <= '9' || codePoint == '#' || codePoint == '*';
    }

    /** Letters and marks of Arabic, Syriac and the alphabets of India, whose forms a joiner chooses. */
    private static boolean isJoining(int codePoint) {
        return 0x0620 <= codePoint && codePoint <= 0x0DFF;
    }

    private static boolean is(Pattern kind, int codePoint) {
        return codePoint != NONE && kind.matcher(Character.toString(codePoint)).matches();
    }

    private static String written(int codePoint) {
        return "\u27E8U+%04X\u27E9".formatted(codePoint);
    }
}
