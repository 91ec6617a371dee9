package ai.molecule.proxy.models;

import static java.util.Objects.requireNonNull;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a workspace reaches a provider: the key it asks for and, where one is given, another address for it, both secrets of the workspace
 * or of all under the names the table gives. Of a workspace's secrets only these are remembered, for a few seconds, and they go nowhere
 * but there. To be used on one event loop.
 */
final class ProviderAccesses {

    /**
     * What the secrets say.
     *
     * @param key empty when there is none for that address
     * @param url another base URL, as its programs write it, without a slash at the end
     * @param trusted whether an administrator gave it; else it is anybody's word
     * @param withheld whether there is a key that does not go to that address, because a lower right set that than set the key
     * @param own whether the key or the address is the workspace's own, and so what may be asked with it
     */
    record Access(Optional<String> key, Optional<String> url, boolean trusted, boolean withheld, boolean own) {

        /** Where nothing is asked for. */
        static final Access OPEN = new Access(Optional.empty(), Optional.empty(), false, false, false);

        /** Where one protocol is spoken, below that. Google's programs leave the version out. */
        Optional<String> urlFor(ModelProtocol protocol) {
            return url.map(base -> protocol == ModelProtocol.GOOGLE ? base + "/v1beta" : base);
        }

        /** Without the key. */
        @Override
        public String toString() {
            return "Access[]";
        }
    }

    private static final Duration AGE_MAX = Duration.ofSeconds(5);
    private static final int ACCESSES_MAX = 10_000;

    /** Whose, and to whom. */
    private record Question(UUID workspaceId, Provider provider) {}

    private final Bus bus;
    private final BriefCache<Question, Access> accesses =
            new BriefCache<>(AGE_MAX, ACCESSES_MAX, (question, access) -> List.of(question.workspaceId));

    ProviderAccesses(Bus bus) {
        this.bus = bus;
        bus.listen(WorkspaceChanged.HINT, hint -> accesses.dropTagged(hint.workspaceId()));
    }

    /** Fails with FORBIDDEN when the key it wants is missing, and says which to give. An address of one's own need not want any. */
    Future<Access> accessTo(UUID workspaceId, Provider provider) {
        return find(workspaceId, provider).map(access -> {
            String secret = provider.secret();
            if (access.withheld) {
                throw ApiError.forbidden(
                        "the secret %s is not sent to the address in %s, because that was set with a lower role than the key: set the key again, or have %2$s set or deleted by whoever set the key"
                                .formatted(secret, provider.urlSecret()));
            }
            if (secret != null && access.key.isEmpty() && access.url.isEmpty()) {
                throw missing(workspaceId, provider.name(), secret);
            }
            if (access.url.isEmpty() && provider.endpoints().isEmpty()) {
                throw ProviderTable.noAddress(provider);
            }
            return access;
        });
    }

    /** Whether {@link #accessTo} would not fail. */
    Future<Boolean> has(UUID workspaceId, Provider provider) {
        return find(workspaceId, provider)
                .map(access -> !access.withheld
                        && (access.url.isPresent()
                                || (!provider.endpoints().isEmpty()
                                        && (provider.secret() == null || access.key.isPresent()))));
    }

    /** Names of those that a workspace has access to by the secrets for all alone. */
    Future<Set<String>> forAll(Collection<Provider> providers) {
        return bus.call(GlobalSecretNames.CONTRACT, new GlobalSecretNames())
                .map(set -> providers.stream()
                        .filter(provider -> isIn(set, provider.urlSecret())
                                || (!provider.endpoints().isEmpty()
                                        && (provider.secret() == null || isIn(set, provider.secret()))))
                        .map(Provider::name)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static boolean isIn(GlobalSecretNames.Names set, @Nullable String name) {
        return name != null && set.names().contains(name);
    }

    private Future<Access> find(UUID workspaceId, Provider provider) {
        return provider.secret() == null && provider.urlSecret() == null
                ? Future.succeededFuture(Access.OPEN)
                : accesses.get(new Question(workspaceId, provider), this::read);
    }

    private Future<Access> read(Question question) {
        return bus.call(SecretsFor.CONTRACT, new SecretsFor(question.workspaceId, SecretsFor.Purpose.MODELS))
                .map(bundle -> {
                    if (!bundle.failedKeys().isEmpty()) {
                        throw ApiError.internal("the secrets of this workspace cannot be decrypted: "
                                + "the registry's log says which, and SECRETS_ENCRYPTION_KEY is the key they need");
                    }
                    return access(bundle, question.provider);
                });
    }

    /**
     * A key that was given to all goes nowhere at one workspace's word, and no key at the word of less than who set it: nobody is shown a key, so
     * nobody has it sent to a server of theirs.
     */
    private static Access access(SecretsFor.Bundle bundle, Provider provider) {
        var url = value(bundle, provider.urlSecret())
                .map(base -> base.endsWith("/") ? base.substring(0, base.length() - 1) : base);
        boolean trusted = isOfAll(bundle, provider.urlSecret());
        var key = value(bundle, provider.secret())
                .filter(secret -> url.isEmpty() || trusted || !isOfAll(bundle, provider.secret()));
        boolean withheld = key.isPresent()
                && url.isPresent()
                && bundle.isSetByLess(requireNonNull(provider.urlSecret()), requireNonNull(provider.secret()));
        boolean own = (key.isPresent() && !isOfAll(bundle, provider.secret())) || (url.isPresent() && !trusted);
        return new Access(key, url, trusted, withheld, own);
    }

    private static boolean isOfAll(SecretsFor.Bundle bundle, @Nullable String name) {
        return name != null && bundle.globalKeys().contains(name);
    }

    private static Optional<String> value(SecretsFor.Bundle bundle, @Nullable String name) {
        return Optional.ofNullable(name == null ? null : bundle.values().get(name))
                .map(String::trim)
                .filter(value -> !value.isEmpty());
    }

    private static ApiError missing(UUID workspaceId, String provider, String secret) {
        return ApiError.forbidden(
                "there is no key for provider %s: store it as the secret %s, for this workspace (POST /workspaces/%s/secrets) or for all (PUT /settings/secrets)"
                        .formatted(provider, secret, workspaceId));
    }
}
