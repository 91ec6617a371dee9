package ai.molecule.runtime.shell;

/** Ends a command with one sentence for whoever typed it. */
public final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailure(int exitCode, String sentence) {
        super(sentence);
        this.exitCode = exitCode;
    }

    /** The arguments or the environment are wrong. Exit code 2. */
    static CommandFailure usersTurn(String sentence) {
        return new CommandFailure(2, sentence);
    }

    /** The platform or a peer failed. Exit code 1. */
    static CommandFailure broken(String sentence) {
        return new CommandFailure(1, sentence);
    }

    public int exitCode() {
        return exitCode;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
