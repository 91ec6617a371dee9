package ai.molecule.runtime;

/** The agent cannot start, for a reason its owner can put right. */
public final class PreflightFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String title;
    private final String fix;

    /**
     * @param title what was looked at, in a word or two
     * @param detail what was found
     * @param fix what to do about it, as a sentence
     */
    PreflightFailure(String title, String detail, String fix) {
        super(detail);
        this.title = title;
        this.fix = fix;
    }

    /** In the form the platform shows to people: {@code [FAIL] title: detail} and a line with the fix. */
    String report() {
        return "Preflight checks:%n[FAIL] %s: %s%n  Fix: %s".formatted(title, getMessage(), fix);
    }
}
