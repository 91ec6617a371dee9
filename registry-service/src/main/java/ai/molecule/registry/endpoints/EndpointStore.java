package ai.molecule.registry.endpoints;

import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.registry.lifecycle.Changed;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What {@link EndpointService} needs from persistence. */
public interface EndpointStore {

    Future<ResolveRoute.Route> resolve(ResolveRoute request);

    /** Empty when the incarnation is not the wanted one, or the workspace is not wanted to run. */
    Future<Optional<Changed>> record(RecordEndpoint request, Instant now);

    Future<Integer> touchOutbound(List<UUID> workspaceIds, Instant now);
}
