package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.ToolRefusal;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** Patterns as models write them, matched by RE2: in time that grows with the text, whatever the pattern. */
final class Patterns {

    private static final int CHARS_MAX = 500;

    private Patterns() {}

    /** {@code *} and {@code ?} stay within a name, {@code **} passes folders, <code>{a,b}</code> is either. */
    static Pattern glob(String glob) {
        var regex = new StringBuilder();
        int groups = 0;
        for (int i = 0; i < checked(glob).length(); i++) {
            char next = glob.charAt(i);
            if (glob.startsWith("**/", i)) {
                regex.append("(?:.*/)?");
                i += 2;
            } else if (glob.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else if (next == '*') {
                regex.append("[^/]*");
            } else if (next == '?') {
                regex.append("[^/]");
            } else if (next == '{') {
                regex.append("(?:");
                groups++;
            } else if (next == '}' && groups > 0) {
                regex.append(')');
                groups--;
            } else if (next == ',' && groups > 0) {
                regex.append('|');
            } else {
                regex.append(Pattern.quote(String.valueOf(next)));
            }
        }
        return compiled(regex.toString(), glob);
    }

    static Pattern regex(String regex) {
        if (!PatternSize.isSmall(checked(regex))) {
            throw new ToolRefusal(
                    "with its repetitions written out a pattern may have at most %,d parts; repeat less, or make it shorter"
                            .formatted(PatternSize.PARTS_MAX));
        }
        return compiled(regex, regex);
    }

    private static Pattern compiled(String regex, String written) {
        try {
            return Pattern.compile(regex);
        } catch (PatternSyntaxException | StackOverflowError wrong) {
            throw new ToolRefusal("the pattern cannot be used: " + written
                    + " (patterns are those of RE2: nothing that looks ahead or behind, and no backreferences)");
        }
    }

    private static String checked(String pattern) {
        if (pattern.isEmpty() || pattern.length() > CHARS_MAX) {
            throw new ToolRefusal("pattern must have 1 to " + CHARS_MAX + " characters");
        }
        return pattern;
    }
}
