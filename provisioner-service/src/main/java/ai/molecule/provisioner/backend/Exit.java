package ai.molecule.provisioner.backend;

import java.util.regex.Pattern;

/** How a process ended, in words, from the exit code its parent saw and what it printed last. */
public final class Exit {

    /** A JVM that ran out of heap says so and ends with 3, by its option. */
    private static final String JAVA_OUT_OF_MEMORY = "java.lang.OutOfMemoryError";

    /** One that the system refuses more memory, for example by its limit, ends with 1. */
    private static final String NO_NATIVE_MEMORY = "There is insufficient memory for the Java Runtime Environment";

    /** As a shell and {@link Process#exitValue} count those that a signal ended. */
    private static final int SIGNALS = 128;

    /** What begins the description of an end that would come again until somebody changes the agent's settings. */
    private static final String PREFLIGHT = "preflight failed: ";

    /** Agents look at their settings before they start, and end with 1 after such a line. */
    private static final Pattern FAILED_CHECK = Pattern.compile("^\\[FAIL] (.+)$", Pattern.MULTILINE);

    private Exit() {}

    /** Whether it would end the same way again: then no restart helps. */
    public static boolean isFinal(String exit) {
        return exit.startsWith(PREFLIGHT);
    }

    public static String describe(int code, String lastLines) {
        if (lastLines.contains(JAVA_OUT_OF_MEMORY) || lastLines.contains(NO_NATIVE_MEMORY)) {
            return "out of memory (exit code %d)".formatted(code);
        }
        var check = FAILED_CHECK.matcher(lastLines);
        if (code == 1 && check.find()) {
            return PREFLIGHT + check.group(1);
        }
        return switch (code - SIGNALS) {
            case 1 -> "ended by SIGHUP";
            case 2 -> "ended by SIGINT";
            case 6 -> "crashed with SIGABRT";
            case 7 -> "crashed with SIGBUS";
            case 9 -> "killed by SIGKILL";
            case 11 -> "crashed with SIGSEGV";
            case 15 -> "ended by SIGTERM";
            default -> "exit code " + code;
        };
    }
}
