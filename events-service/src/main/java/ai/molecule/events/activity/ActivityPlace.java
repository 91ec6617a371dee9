package ai.molecule.events.activity;

import ai.molecule.common.ApiError;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Where a row stands among those of its workspace, by its time and then by the order of insertion. */
public record ActivityPlace(Instant createdAt, long seq) {

    /** As {@link #of} reads it. */
    public String text() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, createdAt) + "." + seq;
    }

    /** Fails with INVALID for what no search said. */
    public static ActivityPlace of(String text) {
        int dot = text.indexOf('.');
        try {
            long micros = Long.parseLong(text.substring(0, dot));
            return new ActivityPlace(
                    Instant.EPOCH.plus(micros, ChronoUnit.MICROS), Long.parseLong(text.substring(dot + 1)));
        } catch (NumberFormatException | IndexOutOfBoundsException none) {
            throw ApiError.invalid("before must be the X-Molecule-More of an earlier search");
        }
    }
}
