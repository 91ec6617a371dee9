package ai.molecule.proxy.frontdoor.previews;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.net.WorkspacePorts;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.frontdoor.WebServerDoor;
import ai.molecule.proxy.routes.RouteBook;
import io.vertx.core.Future;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** Which ports of this machine are web servers of a workspace, and may be shown. */
record PreviewTargets(RouteBook routes, WorkspacePorts ports) {

    private static final Set<String> THIS_MACHINE = Set.of("127.0.0.1", "localhost");

    /** In ascending order; fails as {@link #of}. */
    Future<List<Integer>> list(UUID workspaceId) {
        return agentPort(workspaceId).compose(agentPort -> ports.of(workspaceId, agentPort));
    }

    /**
     * Fails with NOT_FOUND for an unknown workspace, CONFLICT for one whose agent does not run as a process of this machine, and FORBIDDEN for
     * the port where the agent takes messages: those go through the gateway.
     */
    Future<WebServerDoor.Target> of(PreviewHost host, Supplier<Future<?>> again) {
        return agentPort(host.workspaceId()).map(agentPort -> {
            if (agentPort == host.port()) {
                throw ApiError.forbidden(
                        "At port %d the agent takes messages, so it is not shown.".formatted(agentPort));
            }
            return new WebServerDoor.Target(
                    host.workspaceId(),
                    host.port(),
                    from -> ports.has(host.workspaceId(), agentPort, host.port(), from),
                    again);
        });
    }

    /** Fails as {@link #of}, by what the registry says now. */
    Future<?> stillRuns(UUID workspaceId) {
        routes.drop(workspaceId);
        return agentPort(workspaceId);
    }

    private Future<Integer> agentPort(UUID workspaceId) {
        return routes.resolve(workspaceId, null).map(PreviewTargets::portOf);
    }

    private static int portOf(Route route) {
        if (!route.found() || route.status() == WorkspaceStatus.REMOVED) {
            throw ApiError.notFound("workspace not found");
        }
        if (!route.hasAddress() || route.quarantined()) {
            throw ApiError.conflict("The agent is not running, so none of its web servers is. Start the agent first.");
        }
        var url = URI.create(String.valueOf(route.url()));
        if (!route.provisioned() || url.getHost() == null || !THIS_MACHINE.contains(url.getHost())) {
            throw ApiError.conflict(
                    "Only web servers of agents that run as processes of the gateway's machine can be shown.");
        }
        return url.getPort();
    }
}
