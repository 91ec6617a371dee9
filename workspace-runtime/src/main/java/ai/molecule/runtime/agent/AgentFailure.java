package ai.molecule.runtime.agent;

/** The task fails, and the message says why in words meant for whoever sent it. */
public final class AgentFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public AgentFailure(String message) {
        super(message);
    }

    public AgentFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
