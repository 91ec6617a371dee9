package ai.molecule.cli;

import java.util.regex.Pattern;

/** Words of others in a command that somebody is to paste: a name or an id may hold whatever its sender likes. */
public final class Shell {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@+-]+");

    private Shell() {}

    /** One word for a POSIX shell, whatever is in it. */
    public static String quoted(String word) {
        String shown = Printable.line(word);
        return PLAIN.matcher(shown).matches() && !shown.startsWith("-")
                ? shown
                : "'" + shown.replace("'", "'\\''") + "'";
    }
}
