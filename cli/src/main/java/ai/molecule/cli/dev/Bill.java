package ai.molecule.cli.dev;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.runtime.agent.ModelTurn;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the turns of a model cost, by the table of prices that comes along. What has no price there costs an unknown amount, never nothing. */
final class Bill {

    private static final double MICROS = 1_000_000;

    private final String model;
    private long micros;
    private long tokens;
    private int turns;
    private boolean known = true;

    /** @param model as it is configured, with its provider */
    Bill(String model) {
        this.model = model;
    }

    /** Adds a turn, and says what it was. */
    String add(ModelTurn turn) {
        turns++;
        tokens += turn.tokensIn() + turn.tokensOut();
        @Nullable ModelPrice price = priceOf(model);
        boolean counted = turn.tokensIn() + turn.tokensOut() > 0;
        known &= price != null && counted;
        if (!counted) {
            return turns + ". turn, its tokens were not counted";
        }
        String words = "%d. turn  %,d tokens in, %,d out".formatted(turns, turn.tokensIn(), turn.tokensOut());
        if (price == null) {
            return words + ", no price is known";
        }
        long cost = price.micros(ModelUsage.of(turn.tokensIn(), turn.tokensOut()));
        micros += cost;
        return words + "  " + dollars(cost);
    }

    /** All of them; empty when no model was asked. */
    String sum() {
        if (turns == 0) {
            return "";
        }
        String counted = "%d %s, %,d tokens".formatted(turns, turns == 1 ? "turn" : "turns", tokens);
        return known ? counted + ", " + dollars(micros) : counted;
    }

    private static String dollars(long micros) {
        return String.format(Locale.ROOT, "$%.4f", micros / MICROS);
    }

    private static @Nullable ModelPrice priceOf(String model) {
        try {
            return ProviderTable.shipped().choose(ModelProtocol.OPENAI, model).price();
        } catch (ApiError unknown) {
            return null;
        }
    }
}
