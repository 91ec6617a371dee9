package ai.molecule.registry.budgets;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * In US cents.
 *
 * @param limit null when there is none
 * @param spend of this month, as last reported
 * @param teamLimit what the workspace and all below it may spend on models; null when there is none
 * @param teamPeriod in which time: {@code month}, {@code day} or {@code all}
 */
public record Budget(
        @Nullable Long limit, long spend, @Nullable Long teamLimit, String teamPeriod) {

    static final String TEAM_LIMIT = "team_limit";
    static final String TEAM_PERIOD = "team_period";
    private static final Set<String> PERIODS = Set.of("month", "day", "all");

    static final String FIELD = "budget_limit";

    /** A limit that a {@code PATCH} asks for: null takes it away. A whole number may be written as {@code 100.0} or {@code 1e2}. */
    static @Nullable Long limitOf(JsonBody body, String field) {
        JsonNode sent = body.node(field);
        if (sent == null) {
            return null;
        }
        long cents = cents(sent, field);
        if (cents < 0) {
            throw ApiError.invalid(field + " must be >= 0 (USD cents)");
        }
        return cents;
    }

    /** Null leaves it as it is. */
    static @Nullable String periodOf(JsonBody body) {
        JsonNode sent = body.node(TEAM_PERIOD);
        if (sent == null) {
            return null;
        }
        if (!PERIODS.contains(sent.asText())) {
            throw ApiError.invalid(TEAM_PERIOD + " must be month, day or all");
        }
        return sent.asText();
    }

    Budget spentAtLeast(long cents) {
        return cents <= spend ? this : new Budget(limit, cents, teamLimit, teamPeriod);
    }

    /** {@code {"budget_limit", "monthly_spend", "budget_remaining"}}; the last may be negative, and is null without a limit. With a team's limit that too. */
    ObjectNode toJson() {
        var json = Json.object()
                .put(FIELD, limit)
                .put("monthly_spend", spend)
                .put("budget_remaining", limit == null ? null : Long.valueOf(limit - spend));
        return teamLimit == null ? json : json.put(TEAM_LIMIT, teamLimit).put(TEAM_PERIOD, teamPeriod);
    }

    private static long cents(JsonNode sent, String field) {
        if (!sent.isNumber()) {
            throw ApiError.invalid(field + " must be an integer (USD cents) or null");
        }
        try {
            return sent.decimalValue().longValueExact();
        } catch (ArithmeticException fractionOrTooLarge) {
            throw ApiError.invalid(field + " must be an integer (USD cents) or null");
        }
    }
}
