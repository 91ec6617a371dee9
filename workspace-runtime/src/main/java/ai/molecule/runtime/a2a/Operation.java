package ai.molecule.runtime.a2a;

/** What can be asked of this agent, whatever a version of the protocol calls it. */
enum Operation {
    SEND,
    STREAM,
    GET,
    LIST,
    CANCEL,
    FOLLOW,
    BY_MESSAGE,
    PUSH,
    EXTENDED_CARD;

    /** Whether the answer is a stream. */
    boolean streams() {
        return this == STREAM || this == FOLLOW;
    }
}
