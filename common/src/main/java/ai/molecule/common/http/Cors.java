package ai.molecule.common.http;

import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;

/**
 * Cross-origin rules (docs/wire/README.md): no Origin and the own origin pass untouched, a listed one gets the headers,
 * any other is refused with an empty 403 before anything is done.
 */
public final class Cors implements Handler<RoutingContext> {

    private static final List<String> DEFAULT_ORIGINS = List.of("http://localhost:3000", "http://localhost:3001");
    private static final String METHODS = "GET,POST,PUT,PATCH,DELETE,OPTIONS";
    private static final String HEADERS = "Origin,Content-Type,X-Workspace-ID,Authorization";
    private static final String PREFLIGHT_AGE_SECONDS = "600";

    private final Set<String> allowed;
    private final Edge edge;

    public Cors(PlatformConfig config, Edge edge) {
        this.allowed = Set.copyOf(allowedOrigins(config));
        this.edge = edge;
    }

    public static List<String> allowedOrigins(PlatformConfig config) {
        var configured = config.corsOrigins();
        return configured == null ? DEFAULT_ORIGINS : configured;
    }

    @Override
    public void handle(RoutingContext ctx) {
        var request = ctx.request();
        String origin = request.getHeader("Origin");
        if (origin == null || edge.passed(request) || sameHost(origin, edge.hostOf(request)) || agentSocket(request)) {
            ctx.next(); // what came through the front door was judged there
            return;
        }
        if (!allowed.contains(origin)) {
            ctx.response().setStatusCode(403).end();
            return;
        }
        ctx.response()
                .putHeader("Access-Control-Allow-Origin", origin)
                .putHeader("Access-Control-Allow-Credentials", "true")
                .putHeader("Vary", "Origin");
        if (HttpMethod.OPTIONS.equals(request.method())) {
            ctx.response()
                    .putHeader("Access-Control-Allow-Methods", METHODS)
                    .putHeader("Access-Control-Allow-Headers", HEADERS)
                    .putHeader("Access-Control-Max-Age", PREFLIGHT_AGE_SECONDS)
                    .setStatusCode(204)
                    .end();
            return;
        }
        ctx.next();
    }

    /** {@code /ws} judges an agent's Origin itself, after its token; no web page can send this header on an upgrade. */
    private static boolean agentSocket(HttpServerRequest request) {
        return "/ws".equals(request.path()) && request.getHeader("X-Workspace-ID") != null;
    }

    private static boolean sameHost(String origin, String host) {
        return origin.equals("http://" + host) || origin.equals("https://" + host);
    }
}
