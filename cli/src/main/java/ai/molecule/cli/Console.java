package ai.molecule.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The only place that prints. Results go to {@link #out}, everything that merely tells the user how things go to {@link
 * #say}, so that a script can read the one without the other. Whatever it is, no byte of it commands the terminal ({@link
 * Printable}).
 */
public final class Console {

    private static final String HERE = "./molecule ";

    /** As it is called where it was started: in a checkout by its place, of a release as somebody typed it. */
    private static final String CALLED = System.getProperty("molecule.called", HERE.strip()) + " ";

    private final PrintStream out;
    private final PrintStream err;

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
        err.println(Printable.text(called(line)));
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
