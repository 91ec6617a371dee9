package ai.molecule.proxy.models;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a model costs, in dollars per million tokens, which is millionths of a dollar per token.
 *
 * @param model its name; with a date or {@code latest} behind it, it is the same model; {@code *} is any
 * @param in tokens read, but for those from a cache
 * @param out tokens written, reasoning included
 * @param cached tokens read from a cache; as {@code in} where null
 * @param cacheWrite tokens read and put into a cache; as {@code in} where null
 * @param dated the day whose price it is
 */
public record ModelPrice(
        String model,
        BigDecimal in,
        BigDecimal out,
        @Nullable BigDecimal cached,
        @Nullable BigDecimal cacheWrite,
        LocalDate dated) {

    static final String ANY = "*";

    private static final Pattern EDITION = Pattern.compile("[-@](\\d{8}|\\d{4}-\\d{2}-\\d{2}|latest)");

    boolean covers(String name) {
        return model.equals(ANY)
                || name.equals(model)
                || (name.startsWith(model)
                        && EDITION.matcher(name.substring(model.length())).matches());
    }

    /** In millionths of a dollar, rounded up. */
    public long micros(ModelUsage usage) {
        return times(in, usage.in())
                .add(times(out, usage.out()))
                .add(times(cached == null ? in : cached, usage.cacheRead()))
                .add(times(cacheWrite == null ? in : cacheWrite, usage.cacheWrite()))
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }

    private static BigDecimal times(BigDecimal price, long tokens) {
        return price.multiply(BigDecimal.valueOf(tokens));
    }
}
