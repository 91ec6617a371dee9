package ai.molecule.common.testing;

import ai.molecule.common.config.PlatformConfig;
import java.util.HashMap;
import java.util.Map;

/** Environments for tests: a fresh database, the module's Redis, free ports. */
public final class TestConfig {

    private TestConfig() {}

    /** Variables for any service, {@code overrides} (name, value, name, value, …) on top; an empty value unsets. */
    public static Map<String, String> env(String... overrides) {
        Map<String, String> env = new HashMap<>();
        env.put("REGISTRY_PORT", "0");
        env.put("EVENTS_PORT", "0");
        env.put("PROVISIONER_PORT", "0");
        env.put("PORT", "0");
        env.put("RATE_LIMIT", "1000000"); // counted in a Redis that all tests of a module share
        for (int i = 0; i < overrides.length; i += 2) {
            env.put(overrides[i], overrides[i + 1]);
        }
        // neither is started for whoever brings their own
        env.computeIfAbsent("DATABASE_URL", none -> TestStores.freshDatabase());
        env.computeIfAbsent("REDIS_URL", none -> TestStores.redisUrl());
        return env;
    }

    public static PlatformConfig platform(String... overrides) {
        return PlatformConfig.fromEnv(env(overrides));
    }
}
