package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetSecrets;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules about secrets. */
public final class SecretService {

    private final SecretStore store;
    private final Guards guards;
    private final Clock clock;

    public SecretService(SecretStore store, Guards guards, Clock clock) {
        this.store = store;
        this.guards = guards;
        this.clock = clock;
    }

    Future<List<SecretEntry>> list(UUID workspaceId) {
        return store.list(workspaceId);
    }

    Future<List<SecretEntry>> listGlobal() {
        return store.listGlobal();
    }

    public Future<Void> set(UUID workspaceId, Secret secret) {
        return store.set(workspaceId, List.of(secret), true, clock.instant());
    }

    /** False when the workspace has none of that key. */
    public Future<Boolean> delete(UUID workspaceId, String key) {
        return store.delete(workspaceId, key, clock.instant());
    }

    Future<Void> setGlobal(Secret secret) {
        return store.setGlobal(secret, clock.instant());
    }

    Future<Boolean> deleteGlobal(String key) {
        return store.deleteGlobal(key, clock.instant());
    }

    /** The workspace's own value of this key. */
    public Future<Optional<String>> find(UUID workspaceId, String key) {
        return store.find(workspaceId, key).map(found -> found.map(Secret::value));
    }

    /** In clear, so the workspace's own token is asked for besides the route's guard as soon as it has one. */
    Future<Map<String, String>> values(UUID workspaceId, @Nullable String bearer) {
        return guards.ownToken(bearer, workspaceId)
                .compose(caller -> store.open(workspaceId))
                .map(bundle -> {
                    if (!bundle.failedKeys().isEmpty()) {
                        throw undecryptable(bundle.failedKeys());
                    }
                    return bundle.values();
                });
    }

    public Future<SecretsFor.Bundle> secretsFor(SecretsFor request) {
        return store.open(request.workspaceId());
    }

    /** Serves {@link GlobalSecretNames}. */
    public Future<GlobalSecretNames.Names> globalNames() {
        return store.listGlobal()
                .map(entries -> new GlobalSecretNames.Names(
                        entries.stream().map(SecretEntry::key).toList()));
    }

    public Future<SetSecrets.Stored> setSecrets(SetSecrets request) {
        var secrets = Secret.manyOf(request.values());
        var stored = secrets.isEmpty()
                ? Future.<Void>succeededFuture()
                : store.set(request.workspaceId(), secrets, request.restart(), clock.instant());
        return stored.map(done -> new SetSecrets.Stored(secrets.size()));
    }

    static ApiError undecryptable(List<String> failedKeys) {
        return new ApiError(
                ApiError.Kind.INTERNAL,
                "one or more secrets failed to decrypt; refusing to return partial bundle",
                Map.of("failed_keys", failedKeys));
    }
}
