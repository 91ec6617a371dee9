package ai.molecule.proxy.a2a.calls;

/** Why no answer came back. The message is kept in the activity row, so it names no address. */
final class AgentFailure extends RuntimeException {

    /** One kind per thing that the caller can be told. */
    enum Kind {
        /** Nothing was sent. */
        REFUSED("connection refused"),
        /** Sent, and the connection was lost before any answer. */
        LOST("connection lost before an answer"),
        /** The same, because the platform stops. */
        STOPPED("connection lost before an answer"),
        /** The answer began and was cut. */
        CUT("answer cut off"),
        /** The answer is packed in a way that nobody here can unpack. */
        PACKED("answer cut off"),
        TOO_LARGE("agent response exceeds 10 MiB"),
        /** Answers wait to be written down, and this one found no room among them in time. */
        NO_ROOM("the platform had no room for the answer"),
        EXPIRED("no answer within the time the platform waits"),
        /** Its task waits for a person; the end is asked for later. */
        LET_GO("let go while a person is asked"),
        /** Another agent listens at the address, and did so again after the address was asked for anew. */
        MISDIRECTED("another agent answered at this address");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    private final Kind kind;
    private final int status;
    private final int durationMs;

    /** @param status the agent's, 0 when there was none */
    AgentFailure(Kind kind, int status, int durationMs) {
        super(kind.text, null, false, false);
        this.kind = kind;
        this.status = status;
        this.durationMs = durationMs;
    }

    Kind kind() {
        return kind;
    }

    /** Whether the agent may have ended in the middle. */
    boolean mayBeItsEnd() {
        return kind == Kind.LOST || kind == Kind.CUT;
    }

    int durationMs() {
        return durationMs;
    }

    /** Whether the agent had said that it took the message before the answer failed. */
    boolean deliveryConfirmed() {
        return status >= 200 && status < 400;
    }
}
