package ai.molecule.registry;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.registry.secrets.EncryptionKey;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything the registry reads from its environment, read once at start.
 *
 * @param port {@code REGISTRY_PORT}, default 8081; 0 lets the system choose
 * @param livenessTtl {@code MOLECULE_LIVENESS_TTL_SECONDS}, default 60: silence beyond it means offline
 * @param externalStaleness {@code REMOTE_LIVENESS_STALE_AFTER} in seconds, default 90: the same for external agents
 * @param externalPlatformUrl {@code EXTERNAL_PLATFORM_URL}: the platform's public address in snippets; null takes the request's
 * @param encryptionKey {@code SECRETS_ENCRYPTION_KEY}; null when it is unset or no key, which production refuses
 */
public record RegistryConfig(
        int port,
        PlatformConfig platform,
        Duration livenessTtl,
        Duration externalStaleness,
        @Nullable String externalPlatformUrl,
        @Nullable EncryptionKey encryptionKey) {

    /** Reads and checks every variable; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static RegistryConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        var platform = PlatformConfig.fromEnv(variables);
        var encryptionKey = EncryptionKey.of(env.find("SECRETS_ENCRYPTION_KEY"));
        if (platform.environment() == Environment.PRODUCTION && encryptionKey.isEmpty()) {
            throw new IllegalArgumentException(
                    "SECRETS_ENCRYPTION_KEY must be 32 bytes in Base64, or 32 bytes of text that is not Base64");
        }
        return new RegistryConfig(
                env.port("REGISTRY_PORT", 8081),
                platform,
                env.seconds("MOLECULE_LIVENESS_TTL_SECONDS", 60),
                env.seconds("REMOTE_LIVENESS_STALE_AFTER", 90),
                env.find("EXTERNAL_PLATFORM_URL"),
                encryptionKey.orElse(null));
    }
}
