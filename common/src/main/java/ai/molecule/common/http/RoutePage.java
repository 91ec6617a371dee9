package ai.molecule.common.http;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.service.ServiceContext;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * A service's routes with their guards, one line each, behind the handlers that every service shares. {@link #entries()} is the
 * page as data, for the tests that walk it and the documents that are checked against it.
 */
public final class RoutePage {

    /** The most a body may hold where a route does not say otherwise: 1 MiB, answered 413 beyond. */
    public static final long BODY_MAX_BYTES = 1024 * 1024;

    /** One line of the page. */
    public record Entry(HttpMethod method, String path, Guard guard) {}

    private final Router router;
    private final Guards guards;
    private final List<Entry> entries = new ArrayList<>();

    /** Puts the shared handlers and the probes in front. */
    public RoutePage(ServiceContext service, Guards guards) {
        this.router = Router.router(service.vertx());
        this.guards = guards;
        var config = service.config();
        var edge = new Edge(config);
        router.route()
                .failureHandler(
                        new ErrorResponses()) // on the first route: later ones look at the path, which may be what is
                // wrong
                .handler(new RequestId())
                .handler(new AccessLog(service.meters()))
                .handler(new WellFormedTarget())
                .handler(new KnownHosts(config))
                .handler(new Cors(config, edge));
        Probes.mountOn(this, service);
        router.route()
                .handler(new RateLimit(config, service.redis(), edge, Clock.systemUTC()))
                .handler(new TenantGuard(config))
                .handler(new SecurityHeaders());
    }

    public RoutePage get(String path, Guard guard, Handler<RoutingContext> handler) {
        return route(HttpMethod.GET, path, guard, handler);
    }

    public RoutePage post(String path, Guard guard, Handler<RoutingContext> handler) {
        return route(HttpMethod.POST, path, guard, BODY_MAX_BYTES, handler);
    }

    public RoutePage put(String path, Guard guard, Handler<RoutingContext> handler) {
        return route(HttpMethod.PUT, path, guard, BODY_MAX_BYTES, handler);
    }

    public RoutePage patch(String path, Guard guard, Handler<RoutingContext> handler) {
        return route(HttpMethod.PATCH, path, guard, BODY_MAX_BYTES, handler);
    }

    public RoutePage delete(String path, Guard guard, Handler<RoutingContext> handler) {
        return route(HttpMethod.DELETE, path, guard, handler);
    }

    /** A route that gets its body whole, at most {@code bodyMaxBytes}. */
    public RoutePage route(
            HttpMethod method, String path, Guard guard, long bodyMaxBytes, Handler<RoutingContext> handler) {
        guarded(method, path, guard)
                .handler(BodyHandler.create(false).setBodyLimit(bodyMaxBytes))
                .handler(handler);
        return this;
    }

    /** A route that gets its request unread: a GET, an upgrade, a stream. */
    public RoutePage route(HttpMethod method, String path, Guard guard, Handler<RoutingContext> handler) {
        guarded(method, path, guard).handler(handler);
        return this;
    }

    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** For what is not a route of one's own, such as forwarding to another service; mounted after all routes. */
    public RoutePage otherwise(Handler<RoutingContext> handler) {
        router.route().handler(handler);
        return this;
    }

    /** The finished router: what no route took is 404 JSON, every failure goes to {@link ErrorResponses}. */
    public Router router() {
        router.route().last().handler(ctx -> ctx.fail(404)); // else Vert.x answers HTML
        return router;
    }

    private Route guarded(HttpMethod method, String path, Guard guard) {
        entries.add(new Entry(method, path, guard));
        router.route(method, path).handler(ctx -> {
            AccessLog.routeIs(ctx, path);
            if (guard == Guard.OPEN || guard == Guard.HANDLER) {
                ctx.next();
                return;
            }
            ctx.request().pause(); // the body must wait until the caller is known
            guards.check(guard, ctx)
                    .onComplete(outcome -> ctx.request().resume())
                    .onSuccess(caller -> {
                        caller.keepIn(ctx);
                        ctx.next();
                    })
                    .onFailure(ctx::fail);
        });
        return router.route(method, path); // a route of its own: Vert.x wants a body handler to come first on its route
    }
}
