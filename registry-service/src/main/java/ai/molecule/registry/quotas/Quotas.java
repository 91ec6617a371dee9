package ai.molecule.registry.quotas;

import ai.molecule.common.config.Env;

/**
 * What one workspace may keep.
 *
 * @param memories {@code MOLECULE_MEMORIES_MAX} (10,000) and {@code MOLECULE_MEMORIES_MAX_BYTES} (64 MiB)
 * @param keyValues {@code MOLECULE_MEMORY_KEYS_MAX} (1,000) and {@code MOLECULE_MEMORY_KEYS_MAX_BYTES} (16 MiB)
 * @param configBytesMax {@code MOLECULE_CONFIG_MAX_BYTES} (256 KiB)
 */
public record Quotas(Quota memories, Quota keyValues, int configBytesMax) {

    private static final long MIB = 1024 * 1024;
    private static final long ROWS_MAX = 100_000_000;
    private static final long BYTES_MAX = 1024 * 1024 * MIB;

    /** Fails with {@link IllegalArgumentException} for what is no whole number above zero. */
    public static Quotas fromEnv(Env env) {
        return new Quotas(
                new Quota(
                        "memories",
                        env.integer("MOLECULE_MEMORIES_MAX", 10_000, 1, ROWS_MAX),
                        env.integer("MOLECULE_MEMORIES_MAX_BYTES", 64 * MIB, 1, BYTES_MAX)),
                new Quota(
                        "keys",
                        env.integer("MOLECULE_MEMORY_KEYS_MAX", 1_000, 1, ROWS_MAX),
                        env.integer("MOLECULE_MEMORY_KEYS_MAX_BYTES", 16 * MIB, 1, BYTES_MAX)),
                (int) env.integer("MOLECULE_CONFIG_MAX_BYTES", 256 * 1024, 1, MIB));
    }
}
