package ai.molecule.runtime.filetools;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts repetitions within each other before a pattern is used: one of nothing, <code>(){9}</code>, goes round without reading a
 * character, so that no {@link TimedText} ends it.
 */
final class Repetitions {

    /** What the counts of repetitions within each other multiply to. */
    static final int NESTED_MAX = 10_000;

    private static final Pattern COUNT = Pattern.compile("\\{(\\d{1,10})(?:,(\\d{0,10}))?}");

    /** With blanks and comments anywhere, also between a group and its count. */
    private static final Pattern WITH_COMMENTS = Pattern.compile("\\(\\?[a-zA-Z]*x");

    private Repetitions() {}

    /** What is no pattern at all may be taken for few: compiling it tells. */
    static boolean areFew(String regex) {
        if (WITH_COMMENTS.matcher(regex).find()) {
            return false;
        }
        var count = COUNT.matcher(regex);
        Deque<Long> outside = new ArrayDeque<>();
        long here = 1; // the most in the group that is open
        long last = 1; // in what was read last
        for (int at = 0; at < regex.length(); at++) {
            switch (regex.charAt(at)) {
                case '\\' -> {
                    int end = regex.startsWith("Q", at + 1) ? regex.indexOf("\\E", at) : at;
                    at = end < 0 ? regex.length() : end + 1;
                    last = 1;
                }
                case '[' -> {
                    at = endOfClass(regex, at);
                    last = 1;
                }
                case '(' -> {
                    outside.push(here);
                    here = 1;
                    last = 1;
                }
                case ')' -> {
                    last = here;
                    here = outside.isEmpty() ? last : Math.max(outside.pop(), last);
                }
                case '*', '+', '?' -> {} // these go round as long as something is read
                case '{' -> {
                    if (count.region(at, regex.length()).lookingAt()) {
                        last = Math.min(Integer.MAX_VALUE, last * Math.max(1, larger(count.group(1), count.group(2))));
                        here = Math.max(here, last);
                        at = count.end() - 1;
                    }
                }
                default -> last = 1;
            }
        }
        return outside.stream().reduce(here, Math::max) <= NESTED_MAX;
    }

    private static long larger(String least, @Nullable String most) {
        return Math.max(Long.parseLong(least), most == null || most.isEmpty() ? 0 : Long.parseLong(most));
    }

    /** Classes may hold classes; a bracket that comes first is one of the characters. */
    private static int endOfClass(String regex, int start) {
        int depth = 0;
        for (int at = start; at < regex.length(); at++) {
            char next = regex.charAt(at);
            if (next == '\\') {
                at++;
            } else if (next == '[') {
                depth++;
                at += regex.startsWith("^]", at + 1) ? 2 : regex.startsWith("]", at + 1) ? 1 : 0;
            } else if (next == ']' && --depth == 0) {
                return at;
            }
        }
        return regex.length();
    }
}
