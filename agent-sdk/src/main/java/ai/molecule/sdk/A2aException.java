package ai.molecule.sdk;

/**
 * A peer gave no answer that can be used: it could not be reached, answered an HTTP error, or answered a JSON-RPC error.
 *
 * <p>The message can be shown to a person. {@link #code()} is the JSON-RPC code or, when there was none, the HTTP
 * status, or 0 when no answer came at all.
 *
 * <pre>{@code
 * try {
 *     agents.send(url, Optional.empty(), "hello");
 * } catch (A2aException e) {
 *     System.err.println("the peer " + e.getMessage());
 * }
 * }</pre>
 */
public final class A2aException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    A2aException(int code, String message) {
        super(message);
        this.code = code;
    }

    A2aException(String message, Throwable cause) {
        super(message, cause);
        this.code = 0;
    }

    public int code() {
        return code;
    }
}
