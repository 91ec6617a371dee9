package ai.molecule.proxy.models;

import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link UsageRoutes} needs from persistence. */
interface UsageStore {

    /**
     * Calls added up.
     *
     * @param key what they have in common; null for those that have none of it
     * @param costMicros of those whose price is known; null when that is none of them
     * @param unpriced calls of unknown cost
     * @param estimated calls whose tokens are estimated
     */
    record Sum(
            @Nullable String key,
            long calls,
            long tokensIn,
            long cacheRead,
            long cacheWrite,
            long tokensOut,
            long reasoning,
            @Nullable Long costMicros,
            long unpriced,
            long estimated) {}

    /** The dearest first, at most {@code max}; days in their order. */
    Future<List<Sum>> sums(UsageQuestion question, int max);
}
