package ai.molecule.proxy.models;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.models.ModelUsage;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one call was and what it cost.
 *
 * @param context as {@code X-Molecule-Context} said; null when it did not
 * @param costMicros millionths of a dollar; null when nobody knows the price
 * @param estimated whether the provider did not say the usage, or not to the end
 * @param status the provider's, 0 when it gave none
 * @param teams whose budgets it counts for besides the workspace's own
 * @param attempts how often it was sent
 * @param insteadOf the model that was asked for first and could not answer; null of the first
 * @param behalf on whose it was asked; null where no passport was shown
 */
public record ModelCallRow(
        UUID id,
        UUID workspaceId,
        @Nullable String context,
        @Nullable String traceId,
        String provider,
        String model,
        ModelOperation operation,
        ModelUsage usage,
        @Nullable Long costMicros,
        boolean estimated,
        Outcome outcome,
        int status,
        Instant startedAt,
        Duration duration,
        List<ModelAccount> teams,
        int attempts,
        @Nullable String insteadOf,
        @Nullable Behalf behalf) {

    /** How a call ended. */
    public enum Outcome {
        OK,
        /** The provider answered with an error. */
        REFUSED,
        /** Nothing left. */
        UNREACHABLE,
        /** The provider's answer broke off. */
        CUT,
        /** The caller went away. */
        LEFT,
        /** The budget had no more. */
        STOPPED,
        TIMED_OUT;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The month it is paid from. */
    LocalDate period() {
        return periodOf(startedAt);
    }

    static LocalDate periodOf(Instant moment) {
        return moment.atOffset(ZoneOffset.UTC).toLocalDate().withDayOfMonth(1);
    }
}
