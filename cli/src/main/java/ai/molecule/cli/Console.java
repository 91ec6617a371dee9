package ai.molecule.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The only place that prints. Results go to {@link #out}, everything that merely tells the user how things go to {@link
 * #say}, so that a script can read the one without the other. Whatever it is, no byte of it commands the terminal ({@link
 * Printable}).
 */
public final class Console {

    static final String HERE = "./molecule ";

    /** As it is called where it was started: in a checkout by its place, of a release as somebody typed it. */
    private static final String CALLED = System.getProperty("molecule.called", HERE.strip()) + " ";

    private static final Pattern COMMAND = Pattern.compile("\\./molecule ([a-z0-9-]+)( [a-z0-9-]+)?");

    private final PrintStream out;
    private final PrintStream err;
    private Map<String, Set<String>> commands = Map.of();
    private volatile String repeated = "";

    public Console(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Writes to the standard output and error of this process, in UTF-8. */
    public static Console standard() {
        return new Console(
                new PrintStream(System.out, true, StandardCharsets.UTF_8),
                new PrintStream(System.err, true, StandardCharsets.UTF_8));
    }

    /** One line of result, on standard output. */
    public void out(String line) {
        out.println(Printable.text(line));
    }

    /** One line of progress or explanation, on standard error. */
    public void say(String line) {
        err.println(Printable.text(hint(line)));
    }

    /** Names the commands, each as it is typed ({@code say}, {@code token list}), with their options. */
    void commands(Map<String, Set<String>> optionsByCommand) {
        commands = Map.copyOf(optionsByCommand);
    }

    /**
     * What hints repeat from now on, so that whoever pastes one means the same platform.
     *
     * @param options with a blank before, such as {@code  --data /srv/m}; empty for none
     */
    public void repeat(String options) {
        repeated = options;
    }

    /** Commands in a text that people are to type, as they can type them here, for the platform that this command speaks to. */
    public String hint(String text) {
        String said = repeated.isEmpty()
                ? text
                : COMMAND.matcher(text).replaceAll(found -> Matcher.quoteReplacement(withOptions(found)));
        return called(said);
    }

    private String withOptions(MatchResult found) {
        String command = found.group(1);
        String rest = found.group(2) == null ? "" : found.group(2);
        if (takes(command + rest)) {
            return found.group() + repeated;
        }
        return takes(command) ? HERE + command + repeated + rest : found.group();
    }

    private boolean takes(String command) {
        return commands.getOrDefault(command, Set.of())
                .contains(repeated.strip().split(" ", 2)[0]);
    }

    /** Commands in a text that people are to type, as they can type them here. */
    public static String called(String text) {
        return text.replace(HERE, CALLED);
    }

    /** Whether whoever read standard output has stopped, as {@code head} does. */
    public boolean isUnheard() {
        return out.checkError();
    }

    /** Bytes as they are, to standard output: for what reads them there, never for a terminal. */
    public void copy(InputStream content) throws IOException {
        content.transferTo(out);
        out.flush();
    }

    PrintStream outStream() {
        return out;
    }

    PrintStream errStream() {
        return err;
    }
}
