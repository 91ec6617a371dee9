package ai.molecule.cli.machine;

import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the organization lets each run and each day cost, as sentences; amounts in US dollars, null for no limit.
 *
 * @param run each run for which no limit is given
 * @param day all agents together in a day (UTC)
 */
public record SpendingLimits(@Nullable Object run, @Nullable Object day) {

    public static final String PATH = "/settings/spending";

    public static SpendingLimits of(JsonObject answer) {
        return new SpendingLimits(answer.getValue("run_limit"), answer.getValue("day_cap"));
    }

    /** Of a platform that runs; empty where it does not say. */
    public static Optional<SpendingLimits> of(PlatformApi api) throws IOException {
        var answer = api.call("GET", PATH);
        return answer.status() == 200 ? Optional.of(of(answer.body())) : Optional.empty();
    }

    public String sentence() {
        return "Each run may cost %s, all agents together %s in a day (UTC)."
                .formatted(amount(run, "any amount"), amount(day, "any amount"));
    }

    /** Two places at least. */
    public static String amount(@Nullable Object dollars, String none) {
        if (dollars == null) {
            return none;
        }
        var exact = new BigDecimal(dollars.toString()).stripTrailingZeros();
        return "$" + exact.setScale(Math.max(2, exact.scale())).toPlainString();
    }
}
