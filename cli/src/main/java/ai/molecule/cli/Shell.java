package ai.molecule.cli;

import java.util.regex.Pattern;

/** Words of others in a command that somebody is to paste: a name or an id may hold whatever its sender likes. */
public final class Shell {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@+-]+");

    private Shell() {}

    /**
     * One word for a POSIX shell, whatever is in it. A command inside it is none of ours: what {@link Console#hint} adds to a
     * command could end the quotes around it.
     */
    public static String quoted(String word) {
        String shown = Printable.line(word);
        return PLAIN.matcher(shown).matches() && !shown.startsWith("-")
                ? shown
                : "'" + shown.replace("'", "'\\''").replace(Console.HERE, "./molecule'' ") + "'";
    }

    /** An agent as a word of its own: by its id where its name would be read as an option, which no quotes prevent. */
    public static String agent(String name, String id) {
        return quoted(name.startsWith("-") ? id : name);
    }
}
