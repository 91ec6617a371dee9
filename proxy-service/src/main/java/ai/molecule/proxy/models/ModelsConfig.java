package ai.molecule.proxy.models;

import ai.molecule.common.config.Env;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the model door reads from its environment.
 *
 * @param providers with those of the file {@code MOLECULE_PROVIDERS} names
 * @param keep {@code MOLECULE_MODEL_CALLS_DAYS} (90): how long a call's row is kept
 */
public record ModelsConfig(ProviderTable providers, ModelLimits limits, Duration keep) {

    private static final int KEEP_DAYS = 90;

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static ModelsConfig fromEnv(Env env) {
        String file = env.find("MOLECULE_PROVIDERS");
        return new ModelsConfig(
                ProviderTable.read(file == null ? null : Path.of(file)),
                ModelLimits.DEFAULT,
                Duration.ofDays(env.integer("MOLECULE_MODEL_CALLS_DAYS", KEEP_DAYS, 1, 3_660)));
    }

    public ModelsConfig with(ModelLimits others) {
        return new ModelsConfig(providers, others, keep);
    }
}
