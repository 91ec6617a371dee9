package ai.molecule.common.http;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Reach;
import ai.molecule.common.config.Door;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A service's routes with their guards, one line each, behind the handlers that every service shares. {@link #entries()} is the
 * page as data, for the tests that walk it and the documents that are checked against it.
 */
public final class RoutePage {

    /** The most a body may hold where a route does not say otherwise: 64 KiB, answered 413 beyond. */
    public static final long BODY_MAX_BYTES = 64 * 1024;

    /** The same for routes that take what agents and people write or keep. */
    public static final long LARGE_BODY_MAX_BYTES = 1024 * 1024;

    /**
     * One line of the page.
     *
     * @param reach how far what it changes reaches; NOTHING for every GET
     * @param bodyMaxBytes the most its body may hold; null where the handler takes the request unread
     */
    public record Entry(
            HttpMethod method,
            String path,
            Guard guard,
            Reach reach,
            @Nullable Long bodyMaxBytes) {}

    private final Router router;
    private RouteDispatch lines;
    private final List<Entry> entries = new ArrayList<>();

    /** Puts the shared handlers and the probes in front. */
    public RoutePage(ServiceContext service, Guards guards) {
        this.router = Router.router(service.vertx());
        var config = service.config();
        var edge = new Edge(config);
        var room = new BodyBudget(service.vertx(), edge);
        var acting = new Acting(edge);
        this.lines = new RouteDispatch(guards, acting, room);
        router.route()
                // on the first route, because later ones look at the path, which may itself be wrong
                .failureHandler(
                        new ErrorResponses((ctx, error) -> service.refusals().count(acting.refused(ctx, error))))
                .handler(service.connections())
                .handler(new RequestId())
                .handler(new AccessLog(service.meters(), Tracing.of(service.vertx())))
                .handler(new WellFormedTarget())
                .handler(new NoAgent())
                .handler(new KnownHosts(config, edge))
                .handler(new Cors(config, edge))
                .handler(new SessionCookie(config, edge))
                .handler(new ModelKeyHeader());
        Probes.mountOn(this, service);
        if (config.isOpen(Door.METRICS)) {
            Probes.mountMetricsOn(this, service);
        }
        lines.mountOn(router);
        router.route()
                .handler(new RateLimit(
                        config,
                        service.redis(),
                        service.sharedWindows(),
                        edge,
                        guards.credentials(),
                        Clock.systemUTC()))
                .handler(new TenantGuard(config))
                .handler(new SecurityHeaders());
        this.lines = new RouteDispatch(guards, acting, room);
        if (!config.isOpen(Door.METRICS)) {
            Probes.mountMetricsOn(this, service); // behind the rate limit, or guessing a credential would be free
        }
    }

    public RoutePage get(String path, Guard guard, Handler<RoutingContext> handler) {
        return route(HttpMethod.GET, path, guard, Reach.NOTHING, handler);
    }

    public RoutePage post(String path, Guard guard, Reach reach, Handler<RoutingContext> handler) {
        return route(HttpMethod.POST, path, guard, reach, BODY_MAX_BYTES, handler);
    }

    public RoutePage put(String path, Guard guard, Reach reach, Handler<RoutingContext> handler) {
        return route(HttpMethod.PUT, path, guard, reach, BODY_MAX_BYTES, handler);
    }

    public RoutePage patch(String path, Guard guard, Reach reach, Handler<RoutingContext> handler) {
        return route(HttpMethod.PATCH, path, guard, reach, BODY_MAX_BYTES, handler);
    }

    public RoutePage delete(String path, Guard guard, Reach reach, Handler<RoutingContext> handler) {
        return route(HttpMethod.DELETE, path, guard, reach, handler);
    }

    /** A route that gets its body whole, at most {@code bodyMaxBytes}. */
    public RoutePage route(
            HttpMethod method,
            String path,
            Guard guard,
            Reach reach,
            long bodyMaxBytes,
            Handler<RoutingContext> handler) {
        return route(method, path, guard, reach, bodyMaxBytes, ctx -> {}, handler);
    }

    /** As above; {@code ahead} throws what is answered to a body that nobody could take, before it is read. */
    public RoutePage route(
            HttpMethod method,
            String path,
            Guard guard,
            Reach reach,
            long bodyMaxBytes,
            Handler<RoutingContext> ahead,
            Handler<RoutingContext> handler) {
        return add(new Entry(method, path, guard, reach, bodyMaxBytes), ahead, handler);
    }

    /** A route that gets its request unread: a GET, an upgrade, a stream. */
    public RoutePage route(HttpMethod method, String path, Guard guard, Reach reach, Handler<RoutingContext> handler) {
        return add(new Entry(method, path, guard, reach, null), ctx -> {}, handler);
    }

    /**
     * The route named last, at one more path, which is no line of its own: same guard, same bounds. Of two paths that fit, the one with the
     * word counts.
     *
     * @param before throws what is answered instead of the route's own handler
     */
    public RoutePage alsoAt(String path, Handler<RoutingContext> before) {
        var last = entries.getLast();
        lines.addAgain(new Entry(last.method(), path, last.guard(), last.reach(), last.bodyMaxBytes()), last, before);
        return this;
    }

    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Asked before any route but the probes, behind what every service shares. */
    public RoutePage first(Handler<RoutingContext> check) {
        router.route().handler(check);
        return this;
    }

    /** For what is not a route of one's own, such as forwarding to another service. */
    public RoutePage otherwise(Handler<RoutingContext> handler) {
        lines.otherwise(handler);
        return this;
    }

    /** The finished router: what no route took is 404 JSON, every failure goes to {@link ErrorResponses}. */
    public Router router() {
        lines.mountOn(router);
        router.route().handler(ctx -> ctx.fail(404)); // else Vert.x answers HTML
        return router;
    }

    private RoutePage add(Entry entry, Handler<RoutingContext> ahead, Handler<RoutingContext> handler) {
        entries.add(entry);
        lines.add(entry, ahead, handler);
        return this;
    }
}
