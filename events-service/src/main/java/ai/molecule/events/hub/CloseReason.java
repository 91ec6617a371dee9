package ai.molecule.events.hub;

/** Why the server ends a connection: a WebSocket close code and a sentence for the client's log. */
public enum CloseReason {
    SHUTDOWN(1001, "the server is shutting down, reconnect with since"),
    TOO_SLOW(1013, "the client reads too slowly, reconnect with since"),
    TRY_AGAIN(1013, "a part of the platform does not answer, reconnect with since"),
    SILENT(4001, "no pong within 60 s"),
    REVOKED(4003, "the token is no longer valid"),
    PAUSED(4003, "the workspace is paused");

    private final short code;
    private final String reason;

    CloseReason(int code, String reason) {
        this.code = (short) code;
        this.reason = reason;
    }

    public short code() {
        return code;
    }

    public String reason() {
        return reason;
    }
}
