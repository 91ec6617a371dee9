package ai.molecule.registry.restarts;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What {@link RestartSweep} needs from persistence. */
public interface RestartStore {

    /** Stores a request; false for a workspace that is not restarted, such as an external or a paused one. */
    Future<Boolean> ask(UUID workspaceId, Instant now);

    /**
     * The requests to be carried out now, by whoever asked first, who has them to itself for a while; of those that fan out no
     * more than leave three under way. Forgets what no longer applies.
     */
    Future<List<RestartRequest>> take(Instant now);

    /** It is done, or pointless; one made for a newer start stays. */
    Future<Void> forget(RestartRequest request);
}
