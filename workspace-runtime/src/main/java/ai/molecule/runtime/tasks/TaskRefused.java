package ai.molecule.runtime.tasks;

/** A request about tasks that cannot be met; the kind is what the caller can do about it. */
public final class TaskRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What a caller can do differently. */
    public enum Kind {
        /** No such task, or it has been forgotten. */
        UNKNOWN_TASK,
        /** The task is over and cannot be cancelled. */
        NOT_CANCELABLE,
        /** The message contradicts what the agent knows: it names another conversation than its task's. */
        WRONG_MESSAGE,
        /** Its task is over, or works. */
        TAKES_NO_MESSAGE,
        /** Too much is running; the same message can be sent again later. */
        BUSY
    }

    private final Kind kind;

    TaskRefused(Kind kind, String message) {
        super(message, null, false, false); // an answer to a caller, not a fault: no stack is needed
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
