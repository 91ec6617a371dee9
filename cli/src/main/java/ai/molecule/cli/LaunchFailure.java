package ai.molecule.cli;

import org.jspecify.annotations.Nullable;

/**
 * Ends a command with one plain sentence for the user. The sentence says what is wrong and what to do about it; there is
 * never a stack trace beside it.
 */
public final class LaunchFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private LaunchFailure(int exitCode, String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
        this.exitCode = exitCode;
    }

    /** Something the user can change: an option, a port, a folder, the machine's settings. Exit code 2. */
    public static LaunchFailure usersTurn(String sentence) {
        return new LaunchFailure(2, sentence, null);
    }

    /** The platform did not do what it should. Exit code 1. */
    public static LaunchFailure broken(String sentence) {
        return new LaunchFailure(1, sentence, null);
    }

    /** The platform did not do what it should, because of {@code cause}. Exit code 1. */
    public static LaunchFailure broken(String sentence, Throwable cause) {
        return new LaunchFailure(1, sentence, cause);
    }

    public int exitCode() {
        return exitCode;
    }

    /** The sentence. Never null, other than a throwable's message in general. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
