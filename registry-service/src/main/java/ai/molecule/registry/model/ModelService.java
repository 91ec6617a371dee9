package ai.molecule.registry.model;

import ai.molecule.registry.secrets.Secret;
import ai.molecule.registry.secrets.SecretService;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;

/** The model as one secret among others, so that a change of it restarts the agent like any other. */
public final class ModelService {

    private static final String KEY = "MODEL_PROVIDER";

    private final SecretService secrets;

    public ModelService(SecretService secrets) {
        this.secrets = secrets;
    }

    /** Empty when none was chosen. */
    Future<Optional<String>> find(UUID workspaceId) {
        return secrets.find(workspaceId, KEY);
    }

    /** Fails with NOT_FOUND for an unknown or removed workspace. */
    Future<Void> choose(UUID workspaceId, String model) {
        return secrets.set(workspaceId, Secret.of(KEY, model));
    }

    /** Nothing chosen is as good. */
    Future<Void> clear(UUID workspaceId) {
        return secrets.delete(workspaceId, KEY).mapEmpty();
    }
}
