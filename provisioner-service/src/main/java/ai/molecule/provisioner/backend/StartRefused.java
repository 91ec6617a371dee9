package ai.molecule.provisioner.backend;

/**
 * An agent cannot be started, and trying again would not help. Both texts are shown to people.
 */
public final class StartRefused extends RuntimeException {

    private final String lastError;

    /**
     * @param error one sentence for the event
     * @param lastError what is kept as the workspace's last error
     */
    public StartRefused(String error, String lastError) {
        super(error);
        this.lastError = lastError;
    }

    public StartRefused(String error) {
        this(error, error);
    }

    public String error() {
        return String.valueOf(getMessage());
    }

    public String lastError() {
        return lastError;
    }
}
