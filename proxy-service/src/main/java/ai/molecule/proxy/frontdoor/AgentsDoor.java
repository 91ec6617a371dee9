package ai.molecule.proxy.frontdoor;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/**
 * What the front door asks where agents come in, at a listener of their own. Who comes this way is no user of this machine: every
 * request carries a live token, no development hatch opens, and what is an administrator's asks for an administrator's or
 * organisation's token. A workspace's token acts as that workspace whatever the route: said for it where the request does not,
 * refused where the request says another. Requests are known by their mark ({@link AgentsEntrance}), which owners see too.
 */
public final class AgentsDoor implements Handler<RoutingContext> {

    private static final String ACTS_AS = "X-Workspace-ID";

    private final PlatformConfig config;
    private final Credentials credentials;

    public AgentsDoor(PlatformConfig config, Credentials credentials) {
        this.config = config;
        this.credentials = credentials;
    }

    /** Marks what comes in at the agents' listener and hands it to the page, whose limits come first. */
    public static Handler<HttpServerRequest> before(Handler<HttpServerRequest> page) {
        return request -> {
            request.headers().set(AgentsEntrance.HEADER, "1");
            page.handle(request);
        };
    }

    @Override
    public void handle(RoutingContext ctx) {
        var request = ctx.request();
        if (!AgentsEntrance.took(request)) {
            ctx.next();
            return;
        }
        request.pause(); // until it is known who asks
        mayPass(request)
                .onComplete(known -> request.resume())
                .onSuccess(pass -> {
                    if (pass) {
                        ctx.next();
                    } else {
                        ctx.fail(ApiError.unauthenticated("missing workspace auth token"));
                    }
                })
                .onFailure(ctx::fail);
    }

    private Future<Boolean> mayPass(HttpServerRequest request) {
        String bearer = Bearer.of(request);
        if (bearer == null) {
            return Future.succeededFuture(false);
        }
        String adminToken = config.adminToken();
        if (adminToken != null && Tokens.same(bearer, adminToken)) {
            return Future.succeededFuture(!isCanvas(request));
        }
        return credentials.verify(bearer, null).map(verdict -> mayPass(request, verdict));
    }

    private static boolean mayPass(HttpServerRequest request, Verdict verdict) {
        var holder = verdict.workspaceHolder();
        return switch (verdict.holder()) {
            case WORKSPACE -> holder != null && actsAs(request, holder);
            case ORGANISATION -> !isCanvas(request);
            case MODEL_KEY -> asksModels(request);
            case SESSION, PERSON, NOBODY -> false; // a page is no agent's, and neither is a person
        };
    }

    /** Some routes take a caller without a name for the person at the canvas, and one that writes to itself at its word. */
    private static boolean actsAs(HttpServerRequest request, UUID holder) {
        var said = request.headers().getAll(ACTS_AS);
        if (said.stream().allMatch(String::isBlank)) {
            request.headers().set(ACTS_AS, holder.toString());
            return true;
        }
        return said.stream()
                .allMatch(one -> Ids.find(one).filter(holder::equals).isPresent());
    }

    private static boolean asksModels(HttpServerRequest request) {
        String path = request.path();
        return path != null && path.startsWith("/models/");
    }

    /** Agents get the events that concern them; the stream of all events is for people. */
    private static boolean isCanvas(HttpServerRequest request) {
        return "/ws".equals(request.path()) && !request.headers().contains(ACTS_AS);
    }
}
