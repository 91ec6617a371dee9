package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * While the development hatch is open, a web page on another name must not reach this machine through DNS: a {@code Host} that
 * is neither loopback nor listed in {@code MOLECULE_HOSTS} is answered 421 (decision 19).
 */
public final class KnownHosts implements Handler<RoutingContext> {

    private final boolean active;
    private final Set<String> known = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

    public KnownHosts(PlatformConfig config) {
        this.active = config.hatchOpen();
        config.hosts().forEach(host -> known.add(host.toLowerCase(Locale.ROOT)));
    }

    @Override
    public void handle(RoutingContext ctx) {
        var authority = ctx.request().authority();
        if (active && (authority == null || !known.contains(authority.host().toLowerCase(Locale.ROOT)))) {
            ctx.fail(new ApiError(
                    ApiError.Kind.MISDIRECTED, "this host name is not served here; add it to MOLECULE_HOSTS"));
            return;
        }
        ctx.next();
    }
}
