package ai.molecule.runtime.mcpclient;

/** A server did not do what it was asked; the message ends a sentence that begins with its name. */
final class McpFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What the connection is worth afterwards. */
    enum Kind {
        /** It goes on. */
        REFUSED,
        /** It goes on, unless this happens too often. */
        SILENT,
        /** It is over. */
        BROKEN
    }

    private final Kind kind;

    McpFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
