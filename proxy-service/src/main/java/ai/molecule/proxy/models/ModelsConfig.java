package ai.molecule.proxy.models;

import ai.molecule.common.config.Env;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.proxy.models.pricelist.PriceListConfig;
import java.time.Duration;
import java.util.Optional;

/**
 * What the model door reads from its environment.
 *
 * @param providers with those of the file {@code MOLECULE_PROVIDERS} names
 * @param priceList where prices are renewed from; empty when those of {@code providers} stay
 * @param cassettes where calls are recorded to or replayed from; empty when they pass
 * @param keep {@code MOLECULE_MODEL_CALLS_DAYS} (90): how long a call's row is kept
 */
public record ModelsConfig(
        ProviderTable providers,
        Optional<PriceListConfig> priceList,
        ModelLimits limits,
        Duration keep,
        Optional<CassetteConfig> cassettes) {

    private static final int KEEP_DAYS = 90;

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static ModelsConfig fromEnv(Env env) {
        return new ModelsConfig(
                ProviderTable.fromEnv(env),
                PriceListConfig.fromEnv(env),
                ModelLimits.DEFAULT,
                Duration.ofDays(env.integer("MOLECULE_MODEL_CALLS_DAYS", KEEP_DAYS, 1, 3_660)),
                CassetteConfig.fromEnv(env));
    }

    public ModelsConfig with(ModelLimits others) {
        return new ModelsConfig(providers, priceList, others, keep, cassettes);
    }
}
