package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.ToolRefusal;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Patterns as models write them. */
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
        if (!Repetitions.areFew(checked(regex))) {
            throw new ToolRefusal("repetitions within each other may come to at most %,d; use a simpler pattern"
                    .formatted(Repetitions.NESTED_MAX));
        }
        return compiled(regex, regex);
    }

    private static Pattern compiled(String regex, String written) {
        try {
            return Pattern.compile(regex);
        } catch (PatternSyntaxException | StackOverflowError wrong) {
            throw new ToolRefusal("the pattern cannot be used: " + written);
        }
    }

    private static String checked(String pattern) {
        if (pattern.isEmpty() || pattern.length() > CHARS_MAX) {
            throw new ToolRefusal("pattern must have 1 to " + CHARS_MAX + " characters");
        }
        return pattern;
    }
}
