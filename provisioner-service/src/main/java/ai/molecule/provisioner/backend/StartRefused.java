package ai.molecule.provisioner.backend;

import java.util.Map;

/**
 * An agent cannot be started, and trying again would not help. Both texts are shown to people.
 */
public final class StartRefused extends StartFailure {

    private final String lastError;
    private final transient Map<String, Object> payload;

    /**
     * @param error one sentence for the event
     * @param lastError what is kept as the workspace's last error
     */
    public StartRefused(String error, String lastError) {
        this(error, lastError, Map.of("error", error));
    }

    /** @param payload the event's whole payload, with the error in it */
    public StartRefused(String error, Map<String, Object> payload) {
        this(error, error, payload);
    }

    private StartRefused(String error, String lastError, Map<String, Object> payload) {
        super(error);
        this.lastError = lastError;
        this.payload = payload;
    }

    public StartRefused(String error) {
        this(error, error);
    }

    public String error() {
        return String.valueOf(getMessage());
    }

    public Map<String, Object> payload() {
        return payload;
    }

    public String lastError() {
        return lastError;
    }
}
