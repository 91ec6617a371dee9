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
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules about secrets. To be used on one event loop. */
public final class SecretService {

    private static final Logger LOGGER = LoggerFactory.getLogger(SecretService.class);

    /** So many batches take some seconds; whoever has more asks again. */
    private static final int ROTATED_BATCHES_MAX = 200;

    private final PgSecretStore store;
    private final PgGlobalSecretStore globals;
    private final PgSecretRotation rotation;
    private final SecretReads reads;
    private final Vault vault;
    private final Guards guards;
    private final Clock clock;
    private final Set<String> ofProviders;
    private final boolean production;

    /**
     * @param ofProviders what no agent is told that the platform starts, and none at all in production: for them the model door asks
     *     providers
     */
    public SecretService(
            PgSecretStore store,
            PgGlobalSecretStore globals,
            PgSecretRotation rotation,
            SecretReads reads,
            Vault vault,
            Guards guards,
            Clock clock,
            Set<String> ofProviders,
            boolean production) {
        this.ofProviders = Set.copyOf(ofProviders);
        this.production = production;
        this.store = store;
        this.globals = globals;
        this.rotation = rotation;
        this.reads = reads;
        this.vault = vault;
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
        return globals.list();
    }

    /** @param changedWith the credential that was shown */
    public Future<Void> set(UUID workspaceId, Secret secret, String changedWith) {
        return store.set(workspaceId, List.of(secret), true, changedWith, clock.instant());
    }

    /** False when the workspace has none of that key. */
    public Future<Boolean> delete(UUID workspaceId, String key, String changedWith) {
        return store.delete(workspaceId, key, changedWith, clock.instant());
    }

    /** @param grants empty leaves them as they are */
    Future<Void> setGlobal(Secret secret, Optional<Grants> grants) {
        return globals.set(secret, grants, clock.instant());
    }

    Future<Boolean> deleteGlobal(String key) {
        return globals.delete(key, clock.instant());
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
                .compose(caller -> caller.unadmitted()
                        ? Future.succeededFuture(Map.of())
                        : read(workspaceId).map(this::told));
    }

    private Map<String, String> told(PgSecretStore.Opened opened) {
        if (!opened.bundle().failedKeys().isEmpty()) {
            throw undecryptable(opened.bundle().failedKeys());
        }
        Map<String, String> values = new TreeMap<>(opened.bundle().values());
        if (production || opened.managed()) {
            values.keySet().removeAll(ofProviders);
        }
        return values;
    }

    public Future<SecretsFor.Bundle> secretsFor(SecretsFor request) {
        return read(request.workspaceId()).map(PgSecretStore.Opened::bundle);
    }

    /** Serves {@link GlobalSecretNames}. */
    public Future<GlobalSecretNames.Names> globalNames() {
        return globals.list()
                .map(entries -> new GlobalSecretNames.Names(
                        entries.stream().map(SecretEntry::key).toList()));
    }

    public Future<SetSecrets.Stored> setSecrets(SetSecrets request) {
        var secrets = Secret.manyOf(request.values());
        var stored = secrets.isEmpty()
                ? Future.<Void>succeededFuture()
                : store.set(request.workspaceId(), secrets, request.restart(), "platform", clock.instant());
        return stored.map(done -> new SetSecrets.Stored(secrets.size()));
    }

    /** Notes when secrets were last read, a few seconds later and many at once. */
    public Future<Void> noteReads() {
        return reads.flush();
    }

    /** Seals everything with the present key; fails with CONFLICT when there is none. */
    Future<ObjectNode> rotate() {
        String keyId = vault.keyId().orElseThrow(() -> ApiError.conflict("SECRETS_ENCRYPTION_KEY is not set"));
        return rotation.rotate(keyId, ROTATED_BATCHES_MAX)
                .map(done -> Json.object()
                        .put("key_id", keyId)
                        .put("rotated", done.rotated())
                        .put("remaining", done.remaining()))
                .onSuccess(done -> LOGGER.atInfo().addKeyValue("outcome", done).log("secrets sealed anew"));
    }

    private Future<PgSecretStore.Opened> read(UUID workspaceId) {
        return store.open(workspaceId).onSuccess(opened -> {
            if (opened.bundle().failedKeys().isEmpty()) {
                reads.note(workspaceId, opened.globalKeys(), clock.instant());
            }
        });
    }

    static ApiError undecryptable(List<String> failedKeys) {
        return new ApiError(
                ApiError.Kind.INTERNAL,
                "one or more secrets failed to decrypt; refusing to return partial bundle",
                Map.of("failed_keys", failedKeys));
    }
}
