package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SecretsFor.Purpose;
import ai.molecule.common.bus.registry.SetSecrets;
import ai.molecule.common.json.Json;
import ai.molecule.registry.secrets.stores.Reference;
import ai.molecule.registry.secrets.stores.SecretStores;
import ai.molecule.registry.secrets.stores.StoreFailure;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
    private final PgSecretHolders holders;
    private final SecretStores stores;
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
            PgSecretHolders holders,
            SecretStores stores,
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
        this.holders = holders;
        this.stores = stores;
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

    /** Running agents that have an older value of a secret, until they restart or ask again. */
    public Future<Set<UUID>> outdated() {
        return holders.outdated(ofProviders);
    }

    Future<List<SecretEntry>> listGlobal() {
        return globals.list();
    }

    /**
     * A reference is the platform's machine reading something at the caller's word, so it is asked for more than what lets one set a value.
     *
     * @param mayRefer whether the caller may; asked for a reference alone
     * @return fails with INVALID for a store that is off
     */
    Future<Void> requireReferable(Secret secret, Supplier<Future<?>> mayRefer) {
        if (!secret.isReference()) {
            return Future.succeededFuture();
        }
        return mayRefer.get().map(may -> {
            var reference = Reference.of(secret.value());
            stores.check(reference);
            stores.forget(reference); // what stood there a minute ago may be why it is set again
            return null;
        });
    }

    public Future<Void> set(UUID workspaceId, Secret secret, Caller caller) {
        return store.set(workspaceId, List.of(secret), true, SetBy.of(caller), caller.credential(), clock.instant());
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
     *
     * @param follow whether the agent asks again by itself when there are other values, so that it is not restarted for them
     */
    Future<Map<String, String>> values(UUID workspaceId, @Nullable String bearer, boolean follow) {
        return guards.ownToken(bearer, workspaceId)
                .compose(caller -> caller.unadmitted()
                        ? Future.succeededFuture(Map.of())
                        : holders.expect(workspaceId)
                                .compose(expected -> store.open(workspaceId))
                                .compose(opened -> handOut(
                                        workspaceId,
                                        opened,
                                        key -> !ofProviders.contains(key) || !(production || opened.managed()),
                                        opened.version(),
                                        follow ? caller.incarnation() : null)));
    }

    /** Serves {@link SecretsFor}. */
    public Future<SecretsFor.Bundle> secretsFor(SecretsFor request) {
        var id = request.workspaceId();
        var purpose = Objects.requireNonNullElse(request.purpose(), Purpose.START);
        return (purpose == Purpose.START ? holders.expect(id) : Future.<Void>succeededFuture())
                .compose(expected -> store.open(id))
                .compose(opened -> opened.failedKeys().isEmpty()
                        ? bundle(id, opened, purpose)
                        : Future.succeededFuture(new SecretsFor.Bundle(Map.of(), opened.failedKeys())));
    }

    private Future<SecretsFor.Bundle> bundle(UUID id, PgSecretStore.Opened opened, Purpose purpose) {
        return handOut(
                        id,
                        opened,
                        key -> purpose != Purpose.MODELS || ofProviders.contains(key),
                        purpose == Purpose.START ? opened.version() : null,
                        null,
                        purpose != Purpose.MASK)
                .map(values -> new SecretsFor.Bundle(
                        values,
                        List.of(),
                        opened.globalKeys().stream().filter(values::containsKey).collect(Collectors.toSet()),
                        opened.setBy()));
    }

    private Future<Map<String, String>> handOut(
            UUID id, PgSecretStore.Opened opened, Predicate<String> wanted, Long version, @Nullable Integer follower) {
        return handOut(id, opened, wanted, version, follower, true);
    }

    /** All of them that are wanted, or none: an agent that lacks one and is not told so does something else than it should. */
    private Future<Map<String, String>> handOut(
            UUID id,
            PgSecretStore.Opened opened,
            Predicate<String> wanted,
            @Nullable Long version,
            @Nullable Integer follower,
            boolean used) {
        if (!opened.failedKeys().isEmpty()) {
            return Future.failedFuture(undecryptable(opened.failedKeys()));
        }
        var secrets = opened.secrets().values().stream()
                .filter(secret -> wanted.test(secret.key()))
                .toList();
        return valuesOf(secrets, opened.globalKeys())
                .compose(values -> store.handedOut(id, values.keySet(), version, follower)
                        .onSuccess(recorded -> {
                            if (used) {
                                reads.note(id, values.keySet(), opened.globalKeys(), clock.instant());
                            }
                        })
                        .map(values));
    }

    /** With those that stand elsewhere looked up, all at once; fails with UNAVAILABLE, naming which could not be, if any. */
    private Future<Map<String, String>> valuesOf(List<Secret> secrets, Set<String> globalKeys) {
        Map<String, String> values = new TreeMap<>();
        Map<String, String> failed = new TreeMap<>();
        var looks = secrets.stream()
                .map(secret -> valueOf(secret)
                        .onSuccess(value -> values.put(secret.key(), value))
                        .onFailure(failure -> failed.put(nameOf(secret, globalKeys), whyNot(secret, failure))))
                .toList();
        return Future.join(looks).map(values).recover(some -> Future.failedFuture(unavailable(failed)));
    }

    private Future<String> valueOf(Secret secret) {
        return secret.isReference()
                ? stores.read(Reference.of(secret.value()))
                : Future.succeededFuture(secret.value());
    }

    private static String nameOf(Secret secret, Set<String> globalKeys) {
        return (globalKeys.contains(secret.key()) ? "global:" : "workspace:") + secret.key();
    }

    /** What a store said besides is kept to itself. */
    private static String whyNot(Secret secret, Throwable failure) {
        String why = failure instanceof StoreFailure known ? String.valueOf(known.getMessage()) : "reported an error";
        return "the store %s %s".formatted(secret.store(), why);
    }

    private static ApiError unavailable(Map<String, String> failed) {
        String which = failed.entrySet().stream()
                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                .collect(Collectors.joining(", "));
        LOGGER.atWarn().addKeyValue("secrets", which).log("secrets cannot be read from their stores");
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "these secrets cannot be read from their stores: %s. No secret is handed out until all can be read"
                        .formatted(which),
                Map.of("failed_keys", List.copyOf(failed.keySet())));
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
                : store.set(
                        request.workspaceId(),
                        secrets,
                        request.restart(),
                        SetBy.ORGANISATION,
                        "platform",
                        clock.instant());
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

    static ApiError undecryptable(List<String> failedKeys) {
        return new ApiError(
                ApiError.Kind.INTERNAL,
                "one or more secrets failed to decrypt; refusing to return partial bundle",
                Map.of("failed_keys", failedKeys));
    }
}
