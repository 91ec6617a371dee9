package ai.molecule.registry.restarts;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/** What {@link RestartSweep} needs from persistence. */
public interface RestartStore {

    /**
     * The requests to be carried out now, by whoever asked first, who has them to itself for a while; of those that fan out no
     * more than leave three under way. Forgets what no longer applies.
     */
    Future<List<RestartRequest>> take(Instant now);

    /** It is done, or pointless; one made for a newer start stays. */
    Future<Void> forget(RestartRequest request);
}
