package ai.molecule.proxy.delegations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation as others see it: its request, and its outcome once there is one.
 *
 * @param resultStatus null while there is no outcome to show
 */
public record DelegationView(
        UUID id,
        UUID resultId,
        String delegationId,
        UUID source,
        @Nullable UUID target,
        String task,
        String status,
        @Nullable String resultStatus,
        @Nullable String text,
        @Nullable String error,
        boolean unknown,
        Instant createdAt,
        Instant resultAt) {

    private static final int SUMMARY_MAX = 80;

    String requestSummary() {
        return target == null ? "Delegating" : "Delegating to " + target;
    }

    String resultSummary() {
        return switch (String.valueOf(resultStatus)) {
            case "completed" -> "Delegation completed (" + Preview.of(text == null ? "" : text, SUMMARY_MAX) + ")";
            case "queued" -> "Delegation queued — target at capacity";
            default -> "Delegation failed";
        };
    }
}
