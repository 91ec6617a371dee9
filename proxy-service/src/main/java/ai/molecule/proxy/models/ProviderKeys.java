package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The keys that providers ask for: secrets of the workspace, or of all, under the name the table gives. Of a workspace's secrets only
 * that one is remembered, for a few seconds, and it goes nowhere but to its provider. To be used on one event loop.
 */
final class ProviderKeys {

    private static final Duration AGE_MAX = Duration.ofSeconds(5);
    private static final int KEYS_MAX = 10_000;

    /** Whose, and what it is called. */
    private record Question(UUID workspaceId, String secret) {}

    private final Bus bus;
    private final BriefCache<Question, Optional<String>> keys =
            new BriefCache<>(AGE_MAX, KEYS_MAX, (question, key) -> List.of(question.workspaceId));

    ProviderKeys(Bus bus) {
        this.bus = bus;
        bus.listen(WorkspaceChanged.HINT, hint -> keys.dropTagged(hint.workspaceId()));
    }

    /** Empty when the provider asks for none; fails with FORBIDDEN when there is none, and says which to give. */
    Future<Optional<String>> keyFor(UUID workspaceId, Provider provider) {
        String secret = provider.secret();
        if (secret == null) {
            return Future.succeededFuture(Optional.empty());
        }
        return keys.get(new Question(workspaceId, secret), this::read).map(key -> {
            if (key.isEmpty()) {
                throw missing(workspaceId, provider.name(), secret);
            }
            return key;
        });
    }

    /** Whether {@link #keyFor} would not fail. */
    Future<Boolean> has(UUID workspaceId, Provider provider) {
        String secret = provider.secret();
        return secret == null
                ? Future.succeededFuture(true)
                : keys.get(new Question(workspaceId, secret), this::read).map(Optional::isPresent);
    }

    private Future<Optional<String>> read(Question question) {
        return bus.call(SecretsFor.CONTRACT, new SecretsFor(question.workspaceId))
                .map(bundle -> {
                    if (!bundle.failedKeys().isEmpty()) {
                        throw ApiError.internal("the secrets of this workspace cannot be decrypted: "
                                + "the registry's log says which, and SECRETS_ENCRYPTION_KEY is the key they need");
                    }
                    return Optional.ofNullable(bundle.values().get(question.secret))
                            .map(String::trim)
                            .filter(key -> !key.isEmpty());
                });
    }

    private static ApiError missing(UUID workspaceId, String provider, String secret) {
        return ApiError.forbidden(
                "there is no key for provider %s: store it as the secret %s, for this workspace (POST /workspaces/%s/secrets) or for all (PUT /settings/secrets)"
                        .formatted(provider, secret, workspaceId));
    }
}
