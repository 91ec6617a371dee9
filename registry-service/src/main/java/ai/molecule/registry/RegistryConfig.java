package ai.molecule.registry;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.common.workspaces.RuntimeNames;
import ai.molecule.registry.lifecycle.RetentionDays;
import ai.molecule.registry.quotas.Quotas;
import ai.molecule.registry.secrets.EncryptionKey;
import ai.molecule.registry.secrets.stores.StoreSettings;
import ai.molecule.registry.signins.OidcProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything the registry reads from its environment, read once at start.
 *
 * @param port {@code REGISTRY_PORT}, default 8081; 0 lets the system choose
 * @param livenessTtl {@code MOLECULE_LIVENESS_TTL_SECONDS}, default 60: silence beyond it means offline
 * @param externalStaleness {@code REMOTE_LIVENESS_STALE_AFTER} in seconds, default 90: the same for external agents
 * @param externalPlatformUrl {@code EXTERNAL_PLATFORM_URL}: the platform's public address in snippets; null takes the request's
 * @param frontDoorUrl that, else {@code PLATFORM_URL}: where agents reach each other by way of the platform; null takes the request's
 * @param childrenMax {@code MOLECULE_CHILDREN_MAX}, default 200: workspaces below one parent
 * @param workspacesMax {@code MOLECULE_WORKSPACES_MAX}, default 100000: workspaces in all
 * @param pendingApprovalsMax {@code MOLECULE_PENDING_APPROVALS_MAX}, default 5: of one workspace
 * @param passportDepthMax {@code MOLECULE_PASSPORT_DEPTH_MAX}, default 8: agents that are asked one by another on somebody's behalf
 * @param idleMinutes {@code HIBERNATION_IDLE_MINUTES}, default 0: after so long without work agents sleep; 0 for never
 * @param encryptionKey {@code SECRETS_ENCRYPTION_KEY}; null when it is unset or no key, which production refuses
 * @param oldEncryptionKeys {@code SECRETS_ENCRYPTION_KEYS_OLD}, separated by commas: keys that only open
 * @param providerSecrets what the table of providers calls a secret, with the file that {@code MOLECULE_PROVIDERS} names
 * @param secretStores {@code VAULT_…}, {@code MOLECULE_SECRET_FOLDERS}, {@code MOLECULE_SECRET_PROGRAMS}: stores outside where secrets may stand
 * @param quotas {@code MOLECULE_…_MAX} and {@code …_MAX_BYTES}: what one workspace may keep
 * @param retention {@code REMOVED_RETENTION_DAYS} and {@code APPROVAL_RETENTION_DAYS}: how long rows stay that nobody works with any more
 * @param runtimes {@code MOLECULE_RUNTIMES} and the names of {@code MOLECULE_IMAGE_<NAME>}: runtimes beside those of this build
 * @param signInProviders {@code MOLECULE_OIDC_…}: where people may sign in besides here
 */
public record RegistryConfig(
        int port,
        PlatformConfig platform,
        Duration livenessTtl,
        Duration externalStaleness,
        @Nullable String externalPlatformUrl,
        @Nullable String frontDoorUrl,
        int childrenMax,
        int workspacesMax,
        int pendingApprovalsMax,
        int passportDepthMax,
        int idleMinutes,
        @Nullable EncryptionKey encryptionKey,
        List<EncryptionKey> oldEncryptionKeys,
        Set<String> providerSecrets,
        StoreSettings secretStores,
        Quotas quotas,
        RetentionDays retention,
        RuntimeNames runtimes,
        List<OidcProvider> signInProviders) {

    /** Reads and checks every variable; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static RegistryConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        var platform = PlatformConfig.fromEnv(variables);
        var encryptionKey = EncryptionKey.of(env.find("SECRETS_ENCRYPTION_KEY"));
        if (platform.environment() == Environment.PRODUCTION && encryptionKey.isEmpty()) {
            env.required("SECRETS_ENCRYPTION_KEY");
            throw new IllegalArgumentException(
                    "SECRETS_ENCRYPTION_KEY must be 32 bytes in Base64, or 32 bytes of text that is not Base64");
        }
        return new RegistryConfig(
                env.port("REGISTRY_PORT", 8081),
                platform,
                env.seconds("MOLECULE_LIVENESS_TTL_SECONDS", 60),
                env.seconds("REMOTE_LIVENESS_STALE_AFTER", 90),
                env.find("EXTERNAL_PLATFORM_URL"),
                env.find("EXTERNAL_PLATFORM_URL") == null
                        ? env.find("PLATFORM_URL")
                        : env.find("EXTERNAL_PLATFORM_URL"),
                (int) env.integer("MOLECULE_CHILDREN_MAX", 200, 1, 1_000_000),
                (int) env.integer("MOLECULE_WORKSPACES_MAX", 100_000, 1, 10_000_000),
                (int) env.integer("MOLECULE_PENDING_APPROVALS_MAX", 5, 1, 10_000),
                (int) env.integer("MOLECULE_PASSPORT_DEPTH_MAX", 8, 1, 16),
                (int) env.integer("HIBERNATION_IDLE_MINUTES", 0, 0, 525_600),
                encryptionKey.orElse(null),
                oldKeys(env),
                ProviderTable.fromEnv(env).secrets(),
                StoreSettings.fromEnv(env),
                Quotas.fromEnv(env),
                RetentionDays.fromEnv(env),
                RuntimeNames.fromEnv(variables),
                OidcProvider.fromEnv(env));
    }

    private static List<EncryptionKey> oldKeys(Env env) {
        return env.list("SECRETS_ENCRYPTION_KEYS_OLD").stream()
                .map(
                        text -> EncryptionKey.of(text)
                                .orElseThrow(
                                        () -> new IllegalArgumentException(
                                                "SECRETS_ENCRYPTION_KEYS_OLD must be keys like SECRETS_ENCRYPTION_KEY, separated by commas")))
                .toList();
    }
}
