package ai.molecule.provisioner.backend;

/** How a process ended, in words, from the exit code its parent saw and what it printed last. */
public final class Exit {

    /** A JVM that ran out of heap says so and ends with 3, by its option. */
    private static final String JAVA_OUT_OF_MEMORY = "java.lang.OutOfMemoryError";

    /** One that the system refuses more memory, for example by its limit, ends with 1. */
    private static final String NO_NATIVE_MEMORY = "There is insufficient memory for the Java Runtime Environment";

    /** As a shell and {@link Process#exitValue} count those that a signal ended. */
    private static final int SIGNALS = 128;

    private Exit() {}

    public static String describe(int code, String lastLines) {
        if (lastLines.contains(JAVA_OUT_OF_MEMORY) || lastLines.contains(NO_NATIVE_MEMORY)) {
            return "out of memory (exit code %d)".formatted(code);
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
