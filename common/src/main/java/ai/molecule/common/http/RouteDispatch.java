package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage.Entry;
import ai.molecule.common.routing.PathTree;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request to its line of the page: guard, then body, then handler. One route of the router stands for the whole page,
 * because a router tries its routes one after the other and a page is long.
 */
final class RouteDispatch {

    private static final String FORM = "application/x-www-form-urlencoded";

    private static final String LINE = RouteDispatch.class.getName();

    /** Reads a body whole. */
    private record Body(BodyHandler reader, long maxBytes, Handler<RoutingContext> ahead) {}

    /** @param body what is read before the handler; null where the handler takes the request unread */
    private record Line(
            Entry entry, List<String> names, @Nullable Body body, Handler<RoutingContext> handler) {}

    private final Guards guards;
    private final Acting acting;
    private final BodyBudget room;
    private final Map<HttpMethod, PathTree<Line>> lines = new HashMap<>();
    private Handler<RoutingContext> otherwise = RoutingContext::next;

    RouteDispatch(Guards guards, Acting acting, BodyBudget room) {
        this.guards = guards;
        this.acting = acting;
        this.room = room;
    }

    /** @param ahead throws what is answered before a body is read */
    void add(Entry entry, Handler<RoutingContext> ahead, Handler<RoutingContext> handler) {
        Long bodyMaxBytes = entry.bodyMaxBytes();
        var body = bodyMaxBytes == null
                ? null
                : new Body(BodyHandler.create(false).setBodyLimit(bodyMaxBytes), bodyMaxBytes, ahead);
        put(entry, body, handler);
    }

    /** @param known whose body and handler it has @param before throws what is answered instead of that handler */
    void addAgain(Entry entry, Entry known, Handler<RoutingContext> before) {
        var line = Objects.requireNonNull(
                        Objects.requireNonNull(lines.get(known.method())).find(known.path()))
                .value();
        put(entry, line.body, ctx -> {
            before.handle(ctx);
            line.handler.handle(ctx);
        });
    }

    private void put(Entry entry, @Nullable Body body, Handler<RoutingContext> handler) {
        var names = Stream.of(entry.path().split("/", -1))
                .filter(segment -> segment.startsWith(":"))
                .map(segment -> segment.substring(1))
                .toList();
        lines.computeIfAbsent(entry.method(), unknown -> new PathTree<>())
                .put(entry.path(), new Line(entry, names, body, handler));
    }

    /** Takes what no line takes; without it the router goes on. */
    void otherwise(Handler<RoutingContext> handler) {
        otherwise = handler;
    }

    /** Three handlers of one route: the router then catches what any of them throws, also when it runs later. */
    void mountOn(Router router) {
        router.route().handler(this::find).handler(this::read).handler(this::run);
    }

    private void find(RoutingContext ctx) {
        @Nullable Line line;
        try {
            line = lineOf(ctx);
        } catch (IllegalArgumentException malformed) { // a percent sign that stands for nothing
            ctx.fail(400);
            return;
        }
        if (line == null) {
            otherwise.handle(ctx);
            return;
        }
        ctx.put(LINE, line);
        AccessLog.routeIs(ctx, line.entry.path());
        var guard = line.entry.guard();
        if (guard == Guard.OPEN || guard == Guard.HANDLER) {
            ctx.next();
            return;
        }
        ctx.request().pause(); // the body must wait until the caller is known
        guards.check(guard, line.entry.reach(), ctx)
                .onComplete(outcome -> ctx.request().resume())
                .onSuccess(caller -> {
                    caller.keepIn(ctx);
                    acting.began(ctx, caller);
                    ctx.next();
                })
                .onFailure(ctx::fail);
    }

    /** With the path's parameters set; null when there is none. */
    private @Nullable Line lineOf(RoutingContext ctx) {
        var method = ctx.request().method();
        // the answer to HEAD is that to GET, and Vert.x leaves its body out
        var known = lines.get(HttpMethod.HEAD.equals(method) ? HttpMethod.GET : method);
        var match = known == null ? null : known.find(ctx.normalizedPath());
        if (match == null) {
            return null;
        }
        var line = match.value();
        for (int i = 0; i < line.names.size(); i++) {
            ctx.pathParams().put(line.names.get(i), decoded(match.parameters().get(i)));
        }
        return line;
    }

    private void read(RoutingContext ctx) {
        @Nullable Line line = ctx.get(LINE);
        var body = line == null ? null : line.body;
        if (body == null) {
            ctx.next();
        } else {
            takeForText(ctx.request());
            body.ahead.handle(ctx);
            room.enter(ctx, body.maxBytes, () -> readInTurn(ctx, body));
        }
    }

    /** Asks once more, because a body may have waited for its turn; the reader goes on when it has the whole of it. */
    private static void readInTurn(RoutingContext ctx, Body body) {
        try {
            body.ahead.handle(ctx);
        } catch (ApiError refused) { // whose turn it is may be found out in the turn of another one
            ctx.fail(refused);
            return;
        }
        body.reader.handle(ctx);
    }

    /** {@code curl -d} calls every text a form. No route takes one, and as a form a JSON text beyond 1 KiB would be refused. */
    private static void takeForText(HttpServerRequest request) {
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        if (type != null && type.regionMatches(true, 0, FORM, 0, FORM.length())) {
            request.headers().remove(HttpHeaders.CONTENT_TYPE);
        }
    }

    private void run(RoutingContext ctx) {
        room.leave(ctx);
        @Nullable Line line = ctx.get(LINE);
        if (line == null) {
            ctx.next();
        } else {
            line.handler.handle(ctx);
        }
    }

    /** Percent signs only: a plus in a path is a plus. */
    private static String decoded(String segment) {
        return segment.indexOf('%') < 0 ? segment : QueryStringDecoder.decodeComponent(segment.replace("+", "%2B"));
    }
}
