package ai.molecule.proxy.spending;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What the organization lets its agents spend on models, in US dollars; null for no limit.
 *
 * @param run each run for which nobody said a limit
 * @param day all runs of a day (UTC) together
 */
public record SpendingLimits(
        @Nullable BigDecimal run, @Nullable BigDecimal day) {

    static final String RUN = "run_limit";
    static final String DAY = "day_cap";

    private static final BigDecimal MAX = new BigDecimal(1_000_000);

    /** Millionths are the least that is counted. */
    private static final int SCALE_MAX = 6;

    /** These with what a request changes: a member that is not there stays, 0 and null take the limit away. */
    SpendingLimits changedBy(JsonBody body) {
        if (!body.has(RUN) && !body.has(DAY)) {
            throw ApiError.invalid("say run_limit, day_cap or both: amounts in US dollars, or null for no limit");
        }
        return new SpendingLimits(body.has(RUN) ? amountOf(body, RUN) : run, body.has(DAY) ? amountOf(body, DAY) : day);
    }

    /** {@code {"run_limit", "day_cap"}}. */
    ObjectNode toJson() {
        return Json.object().put(RUN, run).put(DAY, day);
    }

    private static @Nullable BigDecimal amountOf(JsonBody body, String field) {
        var sent = body.node(field);
        if (sent == null) {
            return null;
        }
        var amount = sent.isNumber() ? sent.decimalValue().stripTrailingZeros() : MAX.negate();
        if (amount.signum() < 0 || amount.compareTo(MAX) > 0 || amount.scale() > SCALE_MAX) {
            throw ApiError.invalid(
                    field + " must be an amount in US dollars from 0 to 1000000, or null; 0 and null mean no limit");
        }
        return amount.signum() == 0 ? null : amount;
    }
}
