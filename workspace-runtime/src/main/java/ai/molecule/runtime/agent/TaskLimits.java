package ai.molecule.runtime.agent;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one task may take of its model; 0 for no limit. One that reaches {@code tokensMax} has failed; at the others it asks whether it may go
 * on, and may take as much again.
 *
 * @param tokensMax {@code runtime_config.task_tokens_max}
 * @param turnsMax {@code runtime_config.task_turns_max}
 * @param microsMax {@code runtime_config.task_cost_max}, in millionths of a dollar
 * @param price {@code runtime_config.price_in} and {@code price_out}; null where the platform's model door says it
 */
public record TaskLimits(
        long tokensMax,
        int turnsMax,
        long microsMax,
        @Nullable Price price) {

    public static final TaskLimits NONE = new TaskLimits(0, 0, 0, null);

    private static final BigDecimal MICROS = BigDecimal.valueOf(1_000_000);

    /** In dollars per million tokens, which is millionths of a dollar per token. */
    public record Price(BigDecimal in, BigDecimal out) {

        /** In millionths of a dollar, rounded up. */
        public long micros(long tokensIn, long tokensOut) {
            return in.multiply(BigDecimal.valueOf(tokensIn))
                    .add(out.multiply(BigDecimal.valueOf(tokensOut)))
                    .setScale(0, RoundingMode.CEILING)
                    .longValueExact();
        }
    }

    public static long microsOf(BigDecimal dollars) {
        return dollars.multiply(MICROS).setScale(0, RoundingMode.DOWN).longValueExact();
    }

    /** As people read it, rounded up to a cent. */
    public static String dollars(long micros) {
        return "$"
                + BigDecimal.valueOf(micros, 6)
                        .setScale(2, RoundingMode.CEILING)
                        .toPlainString();
    }

    /** What is asked of whoever gave the task, once it took so much since it last was allowed to; empty when it may go on. */
    public String question(int turns, long micros, long spentMicros) {
        String limit = microsMax > 0 && micros >= microsMax
                ? "it may cost " + dollars(microsMax)
                : turnsMax > 0 && turns >= turnsMax ? "it may take " + turnsMax + " steps of its model" : "";
        return limit.isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "I have stopped in the middle of this task: %s, and it has cost %s. Answer, and I go on for as much again; cancel it, and it ends here.",
                        limit,
                        spentMicros < 0 ? "an amount that nobody counted" : dollars(spentMicros));
    }
}
