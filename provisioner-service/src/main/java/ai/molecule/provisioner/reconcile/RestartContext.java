package ai.molecule.provisioner.reconcile;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an agent that was restarted is told of its past (registry contract, 9). Names of secrets, never their values.
 *
 * @param at when it was restarted
 * @param previousEnd the last sign of life before that; null when there was none
 * @param variables the names of its secrets
 */
record RestartContext(Instant at, @Nullable Instant previousEnd, Set<String> variables) {

    /** A hundred names of a workspace and a hundred global ones fit well below what a message may hold. */
    private static final int NAMES_MAX = 500;

    String text() {
        return """
                === WORKSPACE RESTART CONTEXT ===
                Restart at: %s
                Previous session ended: %s
                Env vars now available: %s
                === END RESTART CONTEXT ===
                """.formatted(at.truncatedTo(ChronoUnit.SECONDS), previous(), names());
    }

    private String previous() {
        return previousEnd == null
                ? "(no prior session on record)"
                : "%s (%s ago)"
                        .formatted(
                                previousEnd.truncatedTo(ChronoUnit.SECONDS),
                                duration(Duration.between(previousEnd, at)));
    }

    private String names() {
        return variables.isEmpty()
                ? "(none)"
                : String.join(
                        ", ", new TreeSet<>(variables).stream().limit(NAMES_MAX).toList());
    }

    private static String duration(Duration ago) {
        if (ago.toHours() > 0) {
            return "%dh%dm".formatted(ago.toHours(), ago.toMinutesPart());
        }
        if (ago.toMinutes() > 0) {
            return "%dm%ds".formatted(ago.toMinutes(), ago.toSecondsPart());
        }
        return Math.max(0, ago.toSeconds()) + "s";
    }
}
