package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** What a piece of work or a delegation may spend on models, in US dollars, as requests write it. */
public final class DollarLimit {

    public static final String FIELD = "limit";

    private static final BigDecimal MAX = new BigDecimal(1_000_000);

    /** Millionths are the least that is counted. */
    private static final int SCALE_MAX = 6;

    private DollarLimit() {}

    /** Null for none. */
    public static @Nullable BigDecimal of(JsonBody body) {
        var node = body.node(FIELD);
        if (node == null) {
            return null;
        }
        var limit = node.isNumber() ? node.decimalValue().stripTrailingZeros() : BigDecimal.ZERO;
        if (limit.signum() <= 0 || limit.compareTo(MAX) > 0 || limit.scale() > SCALE_MAX) {
            throw ApiError.invalid("limit must be an amount in US dollars above 0 and at most 1000000");
        }
        return limit;
    }
}
