package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.http.JsonBody;
import ai.molecule.proxy.models.DollarLimit;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a workspace gives to another.
 *
 * @param key a hash of the client's idempotency key, null without one; it counts per source and target
 * @param traceparent of the trace it was given in; null when there is none
 * @param limit what its calls of models may cost, in US dollars; null for no limit of its own
 * @param passport that it is given under; null for none
 * @param handedOn whether that is the target's already, else the source's
 * @param unjudged whether nobody could tell what rules of the policy say of it: they are asked before it is sent
 */
public record NewDelegation(
        UUID source,
        UUID target,
        String task,
        @Nullable String key,
        @Nullable String traceparent,
        @Nullable BigDecimal limit,
        @Nullable String passport,
        boolean handedOn,
        boolean unjudged) {

    static final String COMPLAINT = "invalid delegation request";

    /** @param target as the client named it */
    static NewDelegation of(
            UUID source,
            @Nullable String target,
            JsonBody body,
            @Nullable String traceparent,
            @Nullable String passport) {
        String task = body.requiredText("task");
        String key = body.text("idempotency_key");
        if (target == null || target.isEmpty()) {
            throw body.bad();
        }
        var id = Ids.find(target).orElseThrow(() -> ApiError.invalid("target_id must be a valid UUID"));
        if (id.equals(source)) {
            throw ApiError.invalid("self-delegation not permitted");
        }
        return new NewDelegation(
                source,
                id,
                task,
                key == null || key.isEmpty() ? null : hashed(key),
                traceparent,
                DollarLimit.of(body),
                passport,
                false,
                false);
    }

    /** The same under the passport of its target, and within what that has left. */
    NewDelegation under(IssuePassport.Issued issued) {
        return new NewDelegation(
                source, target, task, key, traceparent, issued.budget(), issued.token(), true, unjudged);
    }

    NewDelegation toBeJudged() {
        return new NewDelegation(source, target, task, key, traceparent, limit, passport, handedOn, true);
    }

    /** @param failed the id of the delegation that it takes the place of: of two of the same one the second is the first */
    static NewDelegation again(
            UUID source,
            UUID target,
            String task,
            String failed,
            @Nullable String traceparent,
            @Nullable BigDecimal limit,
            @Nullable String passport) {
        return new NewDelegation(
                source, target, task, hashed("again " + failed), traceparent, limit, passport, true, false);
    }

    private static String hashed(String key) {
        return HexFormat.of().formatHex(Tokens.hash(key));
    }
}
