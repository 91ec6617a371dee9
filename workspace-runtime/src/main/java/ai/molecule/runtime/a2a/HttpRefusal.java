package ai.molecule.runtime.a2a;

/** A request refused before it was read as JSON-RPC: a status and the sentence of {@code {"error": "..."}}. */
final class HttpRefusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    HttpRefusal(int status, String message) {
        super(message, null, false, false); // an answer to a caller, not a fault: no stack is needed
        this.status = status;
    }

    int status() {
        return status;
    }
}
