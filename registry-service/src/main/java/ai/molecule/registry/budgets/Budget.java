package ai.molecule.registry.budgets;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * In US cents.
 *
 * @param limit null when there is none
 * @param spend of this month, as last reported
 */
public record Budget(@Nullable Long limit, long spend) {

    private static final String FIELD = "budget_limit";
    private static final String NOT_AN_INTEGER = FIELD + " must be an integer (USD cents) or null";

    /** The limit a {@code PATCH} asks for: null takes it away. A whole number may be written as {@code 100.0} or {@code 1e2}. */
    static @Nullable Long limitOf(JsonBody body) {
        if (!body.has(FIELD)) {
            throw ApiError.invalid(FIELD + " field is required");
        }
        JsonNode sent = body.node(FIELD);
        if (sent == null) {
            return null;
        }
        long cents = cents(sent);
        if (cents < 0) {
            throw ApiError.invalid(FIELD + " must be >= 0 (USD cents)");
        }
        return cents;
    }

    /** {@code {"budget_limit", "monthly_spend", "budget_remaining"}}; the last may be negative, and is null without a limit. */
    ObjectNode toJson() {
        return Json.object()
                .put(FIELD, limit)
                .put("monthly_spend", spend)
                .put("budget_remaining", limit == null ? null : Long.valueOf(limit - spend));
    }

    private static long cents(JsonNode sent) {
        if (!sent.isNumber()) {
            throw ApiError.invalid(NOT_AN_INTEGER);
        }
        try {
            return sent.decimalValue().longValueExact();
        } catch (ArithmeticException fractionOrTooLarge) {
            throw ApiError.invalid(NOT_AN_INTEGER);
        }
    }
}
