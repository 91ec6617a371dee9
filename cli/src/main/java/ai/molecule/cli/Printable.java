package ai.molecule.cli;

import java.util.regex.Pattern;

/**
 * Text of others as a terminal may show it. Names, roles and logs are whatever somebody sent: an escape sequence in one would
 * clear the screen, a direction override would let it read as something else.
 */
public final class Printable {

    /** C0 and C1 controls and DEL, what changes the direction of text, and line separators that are no line end here. */
    private static final String HARMFUL = "\\p{Cc}\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";

    private static final Pattern IN_A_LINE = Pattern.compile("[" + HARMFUL + "]");
    private static final Pattern IN_A_TEXT = Pattern.compile("[" + HARMFUL + "&&[^\n\t]]");
    private static final String INSTEAD = "\ufffd";

    private Printable() {}

    /** For a value that stands in a line: a line break in it would begin a line of ours. */
    public static String line(String text) {
        return IN_A_LINE.matcher(text).replaceAll(INSTEAD);
    }

    /** For lines: ends of lines and tabs stay. */
    public static String text(String lines) {
        return IN_A_TEXT.matcher(lines).replaceAll(INSTEAD);
    }
}
