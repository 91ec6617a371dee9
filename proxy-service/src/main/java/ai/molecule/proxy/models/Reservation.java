package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelPrice;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What is reserved for a call, in millionths of a dollar.
 *
 * @param before what its input costs at most
 * @param least below which the call is refused
 * @param wanted what is asked for
 */
record Reservation(ModelDemand demand, ModelPrice price, long before, long least, long wanted) {

    static Reservation of(ModelDemand demand, ModelPrice price) {
        return new Reservation(
                demand,
                price,
                price.microsAtMost(demand.input(), 0),
                price.microsAtMost(demand.input(), demand.least()),
                price.microsAtMost(demand.input(), demand.output()));
    }

    /** Tokens of output that so much pays for, of all answers together. */
    long tokens(long granted) {
        return price.out().signum() > 0 && granted >= wanted ? demand.output() : tokensFor(price, granted - before);
    }

    /** What the provider is told that each answer may have; null where its answer can be stopped, or costs nothing. */
    @Nullable
    Long outputMax(long granted) {
        return demand.bounded() && price.out().signum() > 0 ? Long.valueOf(demand.toldOf(tokens(granted))) : null;
    }

    static long tokensFor(ModelPrice price, long micros) {
        return price.out().signum() == 0
                ? Integer.MAX_VALUE
                : BigDecimal.valueOf(micros).divideToIntegralValue(price.out()).longValue();
    }
}
