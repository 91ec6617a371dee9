package ai.molecule.proxy.protocol;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where a task stands, in the protocol's words. Nothing follows a final state. */
public enum TaskState {
    SUBMITTED,
    WORKING,
    INPUT_REQUIRED,
    AUTH_REQUIRED,
    COMPLETED,
    FAILED,
    CANCELED,
    REJECTED;

    private static final String PREFIX_OF_1_0 = "TASK_STATE_";

    /** As 0.3 writes it ({@code input-required}) or as 1.0 does ({@code TASK_STATE_INPUT_REQUIRED}). */
    public static Optional<TaskState> ofWire(String text) {
        String name = text.toUpperCase(Locale.ROOT).replace('-', '_');
        String bare = name.startsWith(PREFIX_OF_1_0) ? name.substring(PREFIX_OF_1_0.length()) : name;
        return Arrays.stream(values())
                .filter(state -> state.name().equals(bare))
                .findFirst();
    }

    /** As 0.3 writes it. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** As 1.0 writes it. */
    public String wireOf10() {
        return PREFIX_OF_1_0 + name();
    }

    public boolean isFinal() {
        return this == COMPLETED || this == FAILED || this == CANCELED || this == REJECTED;
    }
}
