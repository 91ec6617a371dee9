package ai.molecule.proxy.frontdoor.previews;

import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Edge;
import ai.molecule.common.net.WorkspacePorts;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.frontdoor.WebServerDoor;
import ai.molecule.proxy.routes.RouteBook;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** Web previews: the routes that make links, the names under which the web servers are, and the way there. */
public record Previews(PreviewRoutes routes, PreviewDoor door, WebServerDoor webServers) {

    /** @param domain under which the names are; null where there are none */
    public static Previews of(
            ServiceContext service, Guards guards, CredentialWatch<Object> open, @Nullable String domain) {
        var config = service.config();
        var edge = new Edge(config);
        var clock = Clock.systemUTC();
        var sessions = new PreviewSessions(clock);
        var targets = new PreviewTargets(
                new RouteBook(service.bus(), System::nanoTime),
                new WorkspacePorts(service.vertx(), config.agentUids()));
        var webServers = new WebServerDoor(service.vertx(), config, open);
        return new Previews(
                new PreviewRoutes(domain, edge, sessions, targets, clock),
                new PreviewDoor(service, domain, edge, guards, sessions, targets, webServers),
                webServers);
    }

    /** Ends what would not end by itself; to be called before the server stops. */
    public void close() {
        webServers.close();
    }
}
