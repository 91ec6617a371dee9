package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetSecrets;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules about secrets. To be used on one event loop. */
public final class SecretService {

    private static final Logger LOGGER = LoggerFactory.getLogger(SecretService.class);

    private static final SecretsFor.Bundle NOTHING = new SecretsFor.Bundle(Map.of(), List.of());

    /** So many batches take some seconds; whoever has more asks again. */
    private static final int ROTATED_BATCHES_MAX = 200;

    private final PgSecretStore store;
    private final Vault vault;
    private final Guards guards;
    private final Clock clock;
    private final SecretReads reads;

    public SecretService(PgSecretStore store, Vault vault, Guards guards, Clock clock) {
        this.store = store;
        this.vault = vault;
        this.reads = new SecretReads(store);
        this.guards = guards;
        this.clock = clock;
    }

    /** A workspace that nobody let in is not told of global ones. */
    Future<List<SecretEntry>> list(Caller caller, UUID workspaceId) {
        return store.list(workspaceId)
                .map(entries -> caller.unadmitted()
                        ? entries.stream().filter(SecretEntry::isOwn).toList()
                        : entries);
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

    /** @param grants empty leaves them as they are */
    Future<Void> setGlobal(Secret secret, Optional<Grants> grants) {
        return store.setGlobal(secret, grants, clock.instant());
    }

    Future<Boolean> deleteGlobal(String key) {
        return store.deleteGlobal(key, clock.instant());
    }

    /** The workspace's own value of this key. */
    public Future<Optional<String>> find(UUID workspaceId, String key) {
        return store.find(workspaceId, key).map(found -> found.map(Secret::value));
    }

    /**
     * In clear, so the workspace's own token is asked for besides the route's guard as soon as it has one. A workspace that nobody
     * let in has none.
     */
    Future<Map<String, String>> values(UUID workspaceId, @Nullable String bearer) {
        return guards.ownToken(bearer, workspaceId)
                .compose(caller -> caller.unadmitted() ? Future.succeededFuture(NOTHING) : read(workspaceId))
                .map(bundle -> {
                    if (!bundle.failedKeys().isEmpty()) {
                        throw undecryptable(bundle.failedKeys());
                    }
                    return bundle.values();
                });
    }

    public Future<SecretsFor.Bundle> secretsFor(SecretsFor request) {
        return read(request.workspaceId());
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

    /** Notes when secrets were last read, a few seconds later and many at once. */
    public Future<Void> noteReads() {
        return reads.flush();
    }

    /** Seals everything with the present key; fails with CONFLICT when there is none. */
    Future<ObjectNode> rotate() {
        String keyId = vault.keyId().orElseThrow(() -> ApiError.conflict("SECRETS_ENCRYPTION_KEY is not set"));
        return store.rotate(keyId, ROTATED_BATCHES_MAX)
                .map(done -> Json.object()
                        .put("key_id", keyId)
                        .put("rotated", done.rotated())
                        .put("remaining", done.remaining()))
                .onSuccess(done -> LOGGER.atInfo().addKeyValue("outcome", done).log("secrets sealed anew"));
    }

    private Future<SecretsFor.Bundle> read(UUID workspaceId) {
        return store.open(workspaceId).map(opened -> {
            if (opened.bundle().failedKeys().isEmpty()) {
                reads.note(workspaceId, opened.globalKeys(), clock.instant());
            }
            return opened.bundle();
        });
    }

    static ApiError undecryptable(List<String> failedKeys) {
        return new ApiError(
                ApiError.Kind.INTERNAL,
                "one or more secrets failed to decrypt; refusing to return partial bundle",
                Map.of("failed_keys", failedKeys));
    }
}
