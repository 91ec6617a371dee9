package ai.molecule.registry.endpoints;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.registry.lifecycle.Announcements;
import io.vertx.core.Future;
import java.time.Clock;

/** Routes for the proxy, endpoints from the provisioner. */
public final class EndpointService {

    private static final int TOUCHED_MAX = 500;

    private final EndpointStore store;
    private final Announcements announcements;
    private final Clock clock;

    public EndpointService(EndpointStore store, Announcements announcements, Clock clock) {
        this.store = store;
        this.announcements = announcements;
        this.clock = clock;
    }

    public Future<ResolveRoute.Route> resolve(ResolveRoute request) {
        return store.resolve(request);
    }

    public Future<RecordEndpoint.Recorded> record(RecordEndpoint request) {
        return store.record(request, clock.instant())
                .onSuccess(changed -> announcements.changed(changed.stream().toList()))
                .map(changed -> new RecordEndpoint.Recorded(changed.isPresent()));
    }

    public Future<TouchOutbound.Touched> touchOutbound(TouchOutbound request) {
        if (request.workspaceIds().size() > TOUCHED_MAX) {
            return Future.failedFuture(ApiError.invalid("at most %d workspaces at once".formatted(TOUCHED_MAX)));
        }
        return store.touchOutbound(request.workspaceIds(), clock.instant()).map(TouchOutbound.Touched::new);
    }
}
