package ai.molecule.common.models;

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
 * @param cacheWriteHour those of them that are kept for an hour; as {@code cacheWrite} where null
 * @param beyond what it costs when its prompt is long; null where that is the same
 * @param reasoning whether it thinks, which is output that nobody sees, when a request says nothing about that
 * @param dated the day whose price it is
 */
public record ModelPrice(
        String model,
        BigDecimal in,
        BigDecimal out,
        @Nullable BigDecimal cached,
        @Nullable BigDecimal cacheWrite,
        @Nullable BigDecimal cacheWriteHour,
        @Nullable Beyond beyond,
        boolean reasoning,
        LocalDate dated) {

    /** The prices of a whole call whose prompt, caches included, has more than {@code tokens}; else as those of {@link ModelPrice}. */
    public record Beyond(
            long tokens,
            BigDecimal in,
            BigDecimal out,
            @Nullable BigDecimal cached,
            @Nullable BigDecimal cacheWrite,
            @Nullable BigDecimal cacheWriteHour) {}

    public static final String ANY = "*";

    private static final Pattern EDITION = Pattern.compile("[-@](\\d{8}|\\d{4}-\\d{2}-\\d{2}|latest)");

    public boolean covers(String name) {
        return model.equals(ANY)
                || name.equals(model)
                || (name.startsWith(model)
                        && EDITION.matcher(name.substring(model.length())).matches());
    }

    /** The one that counts for a prompt of so many tokens. */
    public ModelPrice forPrompt(long tokens) {
        return beyond == null || tokens <= beyond.tokens
                ? this
                : new ModelPrice(
                        model,
                        beyond.in,
                        beyond.out,
                        beyond.cached,
                        beyond.cacheWrite,
                        beyond.cacheWriteHour,
                        null,
                        reasoning,
                        dated);
    }

    /** Whether it costs nothing, whatever is asked. */
    public boolean isFree() {
        return microsAtMost(1, 1) == 0
                && (beyond == null || forPrompt(Long.MAX_VALUE).isFree());
    }

    /** In millionths of a dollar, rounded up. */
    public long micros(ModelUsage usage) {
        return beyond == null ? sum(usage) : forPrompt(usage.prompt()).sum(usage);
    }

    /** The most that so much may cost: all of a prompt may be put into a cache, which some sell at more than what is only read. */
    public long microsAtMost(long in, long out) {
        long kept = Math.max(micros(new ModelUsage(0, 0, in, 0, out, 0)), micros(new ModelUsage(0, 0, in, in, out, 0)));
        return Math.max(micros(ModelUsage.of(in, out)), kept);
    }

    private long sum(ModelUsage usage) {
        var write = cacheWrite == null ? in : cacheWrite;
        return times(in, usage.in())
                .add(times(out, usage.out()))
                .add(times(cached == null ? in : cached, usage.cacheRead()))
                .add(times(write, usage.cacheWrite() - usage.cacheWriteHour()))
                .add(times(cacheWriteHour == null ? write : cacheWriteHour, usage.cacheWriteHour()))
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }

    private static BigDecimal times(BigDecimal price, long tokens) {
        return price.multiply(BigDecimal.valueOf(tokens));
    }
}
