package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * A web page on another name must not reach this platform through DNS: a {@code Host} that is neither loopback, nor the address that
 * was connected to, nor {@link PlatformConfig#hosts} is answered 421 (decision 19). In production, unless {@link Door#HOSTS} is open,
 * and while the development hatch is open. What the front door passed on was judged there; what a forwarder passed on is judged here by
 * its {@code Host}; probes are for whoever knows an address.
 */
public final class KnownHosts implements Handler<RoutingContext> {

    private static final Set<String> PROBES = Set.of("/health", "/ready", "/metrics");

    private final boolean active;
    private final boolean probesAreExempt;
    private final Edge edge;
    private final Set<String> known = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

    public KnownHosts(PlatformConfig config, Edge edge) {
        this.active = config.hatchOpen() || !config.isOpen(Door.HOSTS);
        this.probesAreExempt = config.environment() == Environment.PRODUCTION;
        this.edge = edge;
        config.hosts().forEach(host -> known.add(host.toLowerCase(Locale.ROOT)));
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (active && !isKnown(ctx.request())) {
            ctx.fail(new ApiError(
                    ApiError.Kind.MISDIRECTED, "this host name is not served here; add it to MOLECULE_HOSTS"));
            return;
        }
        ctx.next();
    }

    private boolean isKnown(HttpServerRequest request) {
        var authority = request.authority();
        String host = authority == null ? "" : authority.host().toLowerCase(Locale.ROOT);
        return known.contains(host)
                || (probesAreExempt && PROBES.contains(request.path()))
                || isWhatWasConnectedTo(request, host)
                || edge.passed(request);
    }

    /** No name, so DNS has no part in it. */
    private static boolean isWhatWasConnectedTo(HttpServerRequest request, String host) {
        var local = request.localAddress();
        String address = local == null ? null : local.hostAddress();
        return address != null && host.equals(address.indexOf(':') < 0 ? address : "[" + address + "]");
    }
}
