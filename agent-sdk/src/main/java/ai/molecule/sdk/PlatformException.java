package ai.molecule.sdk;

/**
 * The platform refused a call, or could not be reached.
 *
 * <p>{@link #status()} is the HTTP status, or 0 when no answer came; {@link #error()} is the platform's own sentence
 * from {@code {"error": "..."}}, or what went wrong on the way.
 *
 * <pre>{@code
 * try {
 *     client.heartbeat();
 * } catch (PlatformException e) {
 *     if (!e.isUnreachable()) {
 *         throw e; // refused: the same call will be refused again
 *     }
 * }
 * }</pre>
 */
public sealed class PlatformException extends RuntimeException permits CursorLostException, TokenLostException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String error;

    PlatformException(int status, String error) {
        super(status == 0 ? error : "platform answered " + status + ": " + error);
        this.status = status;
        this.error = error;
    }

    PlatformException(String error, Throwable cause) {
        super(error, cause);
        this.status = 0;
        this.error = error;
    }

    /** The HTTP status; 0 when the platform gave no answer. */
    public int status() {
        return status;
    }

    public String error() {
        return error;
    }

    /** Whether the platform could not be reached or did not answer in time, so that the same call may succeed later. */
    public boolean isUnreachable() {
        return status == 0;
    }
}
