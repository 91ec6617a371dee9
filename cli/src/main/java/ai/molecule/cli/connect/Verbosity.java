package ai.molecule.cli.connect;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Lets what the agent SDK logs out on standard error, as {@code [molecule] message}. */
final class Verbosity {

    /** The JDK forgets a logger that nobody holds, and its level with it. */
    private static final Logger SDK = Logger.getLogger("ai.molecule.sdk");

    private Verbosity() {}

    /** Warnings only, or what happens too, with the stack of what failed. */
    static void set(boolean verbose) {
        for (var before : SDK.getHandlers()) {
            SDK.removeHandler(before);
        }
        var handler = new ConsoleHandler();
        handler.setFormatter(new Formatter() {
            @Override
            public String format(LogRecord entry) {
                return "[molecule] " + formatMessage(entry) + cause(entry, verbose) + System.lineSeparator();
            }
        });
        SDK.addHandler(handler);
        SDK.setUseParentHandlers(false);
        SDK.setLevel(verbose ? Level.INFO : Level.WARNING);
    }

    private static String cause(LogRecord entry, boolean verbose) {
        if (entry.getThrown() == null) {
            return "";
        }
        if (!verbose) {
            return ": " + entry.getThrown();
        }
        var stack = new StringWriter();
        entry.getThrown().printStackTrace(new PrintWriter(stack));
        return System.lineSeparator() + stack.toString().stripTrailing();
    }
}
