package ai.molecule.runtime.tasks;

import java.util.Locale;

/** Where a task stands, in the protocol's words; {@link #canBecome} is the whole table of legal moves. */
public enum TaskState {
    SUBMITTED,
    WORKING,
    INPUT_REQUIRED,
    AUTH_REQUIRED,
    COMPLETED,
    FAILED,
    CANCELED,
    REJECTED;

    /** Nothing follows a final state. */
    public boolean isFinal() {
        return this == COMPLETED || this == FAILED || this == CANCELED || this == REJECTED;
    }

    /** Whoever waits for an answer has one: the task is over, or its sender is asked something. */
    public boolean endsTurn() {
        return isFinal() || asks();
    }

    /** Whether the next message continues it. */
    public boolean asks() {
        return this == INPUT_REQUIRED || this == AUTH_REQUIRED;
    }

    boolean canBecome(TaskState next) {
        return switch (this) {
            case SUBMITTED -> next == WORKING || next == FAILED || next == CANCELED || next == REJECTED;
            case WORKING -> next.endsTurn();
            case INPUT_REQUIRED, AUTH_REQUIRED -> next == WORKING || next == FAILED || next == CANCELED;
            case COMPLETED, FAILED, CANCELED, REJECTED -> false;
        };
    }

    /** As it is written on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
