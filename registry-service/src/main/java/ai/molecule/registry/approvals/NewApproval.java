package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.http.JsonBody;
import ai.molecule.registry.deciders.Requirement;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an agent asks for.
 *
 * @param taskId empty when not said, like {@code reason}
 * @param context whatever helps to decide
 * @param expiresAt when it is to count as denied; null leaves that to the platform
 * @param behalf on whose it asks; null where it showed no passport
 * @param askedBy the login of the person whose credential asks; null where an agent or an administrator does
 * @param askers the logins of those who may have asked, where neither of the two says who did
 * @param requirement of the rule that it is asked under; null without one
 */
public record NewApproval(
        UUID id,
        String action,
        String taskId,
        String reason,
        @Nullable ObjectNode context,
        @Nullable Instant expiresAt,
        @Nullable Behalf behalf,
        @Nullable String askedBy,
        List<String> askers,
        @Nullable Requirement requirement) {

    private static final Duration LIFE_DEFAULT = Duration.ofDays(7);
    private static final Duration LIFE_MAX = Duration.ofDays(365);

    static NewApproval of(JsonBody body, UUID id, @Nullable String askedBy) {
        return new NewApproval(
                id,
                body.requiredText("action"),
                body.text("task_id", ""),
                body.text("reason", ""),
                body.object("context"),
                expiry(body),
                null,
                askedBy,
                List.of(),
                null);
    }

    String digest() {
        return ApprovalDigest.of(action, reason, context);
    }

    NewApproval on(@Nullable Behalf whose) {
        return new NewApproval(id, action, taskId, reason, context, expiresAt, whose, askedBy, askers, requirement);
    }

    /** @param others who may have asked */
    NewApproval under(Requirement rule, List<String> others) {
        return new NewApproval(id, action, taskId, reason, context, expiresAt, behalf, askedBy, others, rule);
    }

    /** When it counts as denied; fails with INVALID for a time that is past or too far ahead. */
    Instant expiry(Instant now) {
        if (expiresAt == null) {
            return now.plus(LIFE_DEFAULT);
        }
        if (!expiresAt.isAfter(now) || expiresAt.isAfter(now.plus(LIFE_MAX))) {
            throw noExpiry();
        }
        return expiresAt;
    }

    private static @Nullable Instant expiry(JsonBody body) {
        String sent = body.text("expires_at");
        try {
            return sent == null ? null : Instant.parse(sent);
        } catch (DateTimeParseException noTime) {
            throw noExpiry();
        }
    }

    private static ApiError noExpiry() {
        return ApiError.invalid("expires_at must be a time within the next %d days".formatted(LIFE_MAX.toDays()));
    }
}
