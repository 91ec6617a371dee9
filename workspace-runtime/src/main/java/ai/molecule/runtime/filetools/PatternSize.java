package ai.molecule.runtime.filetools;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a pattern of RE2 comes to with its repetitions written out, before it is compiled: RE2 bounds each repetition, but not what one
 * within another comes to, and takes memory for each part.
 */
final class PatternSize {

    /** Characters, classes, groups and operators. */
    static final int PARTS_MAX = 2_000;

    private static final Pattern COUNT = Pattern.compile("\\{(\\d{1,9})(?:,(\\d{0,9}))?}");

    /** Flags and an empty quotation match nothing, so that a repetition behind them is of what stands before. */
    private static final Pattern NOTHING = Pattern.compile("\\(\\?[A-Za-z-]*\\)|\\\\Q\\\\E");

    private PatternSize() {}

    /** What is no pattern at all may be taken for small: compiling it tells. */
    static boolean isSmall(String regex) {
        var count = COUNT.matcher(regex);
        var nothing = NOTHING.matcher(regex);
        Deque<Long> outside = new ArrayDeque<>();
        long here = 0; // in the group that is open
        long last = 0; // what a repetition that follows repeats
        int at = 0;
        while (at < regex.length()) {
            int from = at;
            if (nothing.region(from, regex.length()).lookingAt()) {
                here++;
                at = nothing.end();
                continue;
            }
            at = endOfPart(regex, at);
            switch (regex.charAt(from)) {
                case '(' -> {
                    outside.push(here);
                    here = 0;
                    last = 0;
                }
                case ')' -> {
                    last = here + 1;
                    here = last + (outside.isEmpty() ? 0 : outside.pop());
                }
                case '*', '+', '?' -> {
                    here++;
                    last++;
                }
                case '{' -> {
                    boolean counts = count.region(from, regex.length()).lookingAt();
                    long repeated = counts ? last * larger(count.group(1), count.group(2)) : 1;
                    here += counts ? repeated - last + 1 : 1; // else a brace as such
                    last = repeated + (counts ? 1 : 0);
                    at = counts ? count.end() : at;
                }
                case '\\' -> {
                    boolean quoted = regex.startsWith("Q", from + 1);
                    here += quoted ? at - from : 1;
                    last = 1;
                }
                default -> {
                    here++;
                    last = 1;
                }
            }
            if (here > PARTS_MAX) { // before it overflows; parts only become more
                return false;
            }
        }
        return here + outside.stream().mapToLong(Long::longValue).sum() <= PARTS_MAX;
    }

    /** What is repeated no time is read all the same. */
    private static long larger(String least, @Nullable String most) {
        long other = most == null || most.isEmpty() ? 0 : Long.parseLong(most);
        return Math.max(1, Math.max(Long.parseLong(least), other));
    }

    private static int endOfPart(String regex, int from) {
        return switch (regex.charAt(from)) {
            case '\\' -> endOfEscape(regex, from);
            case '[' -> endOfClass(regex, from);
            default -> from + 1;
        };
    }

    private static int endOfEscape(String regex, int from) {
        if (regex.startsWith("Q", from + 1)) {
            int end = regex.indexOf("\\E", from);
            return end < 0 ? regex.length() : end + 2;
        }
        boolean named = from + 2 < regex.length()
                && "pPx".indexOf(regex.charAt(from + 1)) >= 0
                && regex.charAt(from + 2) == '{';
        int end = named ? regex.indexOf('}', from) : from + 1;
        return end < 0 ? regex.length() : Math.min(end + 1, regex.length());
    }

    /** A bracket that comes first is one of the characters, and names have brackets of their own. */
    private static int endOfClass(String regex, int from) {
        int at = from + (regex.startsWith("^", from + 1) ? 2 : 1);
        boolean first = true;
        while (at < regex.length() && (first || regex.charAt(at) != ']')) {
            first = false;
            int name = regex.startsWith("[:", at) ? regex.indexOf(":]", at + 2) : -1;
            at = name >= 0 ? name + 2 : regex.charAt(at) == '\\' ? endOfEscape(regex, at) : at + 1;
        }
        return Math.min(at + 1, regex.length());
    }
}
