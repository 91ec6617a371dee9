package ai.molecule.proxy.frontdoor.previews;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.ErrorResponses;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.http.WellFormedTarget;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.frontdoor.SentCookies;
import ai.molecule.proxy.frontdoor.WebServerDoor;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything under the agents' domain, before the platform's own page: no request for a name there reaches a route of the platform, and none for
 * another name reaches a web server of an agent. A request is passed on with the cookie that {@link PreviewSessions} knows for this very
 * host, while whoever opened it may still operate the agent, and from pages of this very origin; from elsewhere a person may only
 * come by a link, as all agents' hosts are one site to a browser.
 */
public final class PreviewDoor {

    static final String COOKIE = "molecule_preview";

    /** What begins so is answered here and never by a web server. */
    private static final String RESERVED = "/.molecule/";

    static final String OPEN_PATH = RESERVED + "open";

    private static final String HOW =
            "Open it in the console, on the agent's page, or with: ./molecule open AGENT --port %d";

    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD);

    private final @Nullable String domain;
    private final Edge edge;
    private final Guards guards;
    private final PreviewSessions sessions;
    private final PreviewTargets targets;
    private final WebServerDoor webServers;
    private final ErrorResponses otherFailures = new ErrorResponses();
    private final Router router;

    /** A session whose cookie came with a request. */
    private record Shown(String token, PreviewSessions.Opened opened) {}

    /** @param domain null where previews are off */
    PreviewDoor(
            ServiceContext service,
            @Nullable String domain,
            Edge edge,
            Guards guards,
            PreviewSessions sessions,
            PreviewTargets targets,
            WebServerDoor webServers) {
        this.domain = domain;
        this.edge = edge;
        this.guards = guards;
        this.sessions = sessions;
        this.targets = targets;
        this.webServers = webServers;
        this.router = Router.router(service.vertx());
        router.route()
                .failureHandler(this::fail)
                .handler(service.connections())
                .handler(new RequestId())
                .handler(new AccessLog(service.meters(), Tracing.of(service.vertx())))
                .handler(new WellFormedTarget())
                .handler(this::enter);
    }

    /** Takes what is for a name under the agents' domain, and hands everything else to the page. */
    public Handler<HttpServerRequest> before(Handler<HttpServerRequest> page) {
        return domain == null ? page : request -> (nameUnder(request) == null ? page : router).handle(request);
    }

    /** The name under the agents' domain that a request is for, by whichever header; null for one that is for none. */
    private @Nullable String nameUnder(HttpServerRequest request) {
        var authority = request.authority();
        return Stream.of(
                        edge.hostOf(request),
                        String.valueOf(request.getHeader("Host")),
                        authority == null ? "" : authority.host())
                .map(PreviewDoor::withoutPort)
                .filter(name -> name.equals(domain) || name.endsWith("." + domain))
                .findFirst()
                .orElse(null);
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        String name = (colon > host.lastIndexOf(']') ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    private void enter(RoutingContext ctx) {
        AccessLog.routeIs(ctx, "preview");
        var request = ctx.request();
        String name = Objects.requireNonNull(nameUnder(request));
        String label = name.substring(
                0, Math.max(0, name.length() - Objects.requireNonNull(domain).length() - 1));
        var host = PreviewHost.of(label).orElse(null);
        if (host == null || AgentsEntrance.took(request)) {
            ctx.fail(new ApiError(ApiError.Kind.MISDIRECTED, "No web server of an agent has this name."));
        } else if (isOfAnotherPage(request)) {
            ctx.fail(ApiError.forbidden("A page of another origin cannot use an agent's web server."));
        } else if (OPEN_PATH.equals(request.path())) {
            open(ctx, host);
        } else if (Objects.requireNonNullElse(request.path(), "/").startsWith(RESERVED)) {
            ctx.fail(ApiError.notFound("not found"));
        } else {
            pass(ctx, host);
        }
    }

    private void pass(RoutingContext ctx, PreviewHost host) {
        var shown = sessionOf(ctx.request(), host).orElse(null);
        if (shown == null) {
            ctx.fail(ApiError.unauthenticated(
                    "You have not opened this agent's web server in this browser, or not since the platform started. "
                            + HOW.formatted(host.port())));
            return;
        }
        ctx.request().pause(); // until it is known who asks
        Supplier<Future<?>> again = () -> stillMay(shown, host).compose(may -> targets.stillRuns(host.workspaceId()));
        stillMay(shown, host)
                .compose(may -> targets.of(host, again))
                .onSuccess(target -> webServers.pass(ctx, target))
                .onFailure(ctx::fail);
    }

    private Future<?> stillMay(Shown shown, PreviewHost host) {
        return sessions.find(shown.token, host).isPresent()
                ? guards.actsByHash(shown.opened.credential(), host.workspaceId())
                : Future.failedFuture(ApiError.unauthenticated("The session is over. " + HOW.formatted(host.port())));
    }

    private void open(RoutingContext ctx, PreviewHost host) {
        var request = ctx.request();
        String code = request.getParam("code");
        boolean reads = HttpMethod.GET.equals(request.method());
        var session = reads && code != null ? sessions.redeem(code, host) : Optional.<String>empty();
        if (session.isEmpty() && sessionOf(request, host).isEmpty()) {
            ctx.fail(ApiError.unauthenticated("This link was used already, or is older than %d minutes. "
                            .formatted(PreviewSessions.CODE_LIFE.toMinutes())
                    + HOW.formatted(host.port())));
            return;
        }
        session.ifPresent(token -> ctx.response().addCookie(cookie(token, request)));
        ctx.response()
                .setStatusCode(303)
                .putHeader("Location", "/")
                .putHeader("Cache-Control", "no-store")
                .putHeader("Referrer-Policy", "no-referrer")
                .end();
    }

    /** Without a domain, so for this very host; by a link from the console, which is another site, it must come along. */
    private Cookie cookie(String token, HttpServerRequest request) {
        return Cookie.cookie(COOKIE, token)
                .setPath("/")
                .setHttpOnly(true)
                .setSameSite(CookieSameSite.LAX)
                .setSecure(edge.originOf(request).startsWith("https:"))
                .setMaxAge(PreviewSessions.SESSION_LIFE.toSeconds());
    }

    /** Another agent's page may have set a cookie of this name for all hosts of the domain: of several one must count. */
    private Optional<Shown> sessionOf(HttpServerRequest request, PreviewHost host) {
        return SentCookies.of(request.headers())
                .filter(cookie -> cookie.startsWith(COOKIE + "="))
                .map(cookie -> cookie.substring(COOKIE.length() + 1))
                .flatMap(token -> sessions.find(token, host).stream().map(opened -> new Shown(token, opened)))
                .findFirst();
    }

    /** All hosts of agents are one site, so that their cookies go along with what another agent's page asks for. */
    private boolean isOfAnotherPage(HttpServerRequest request) {
        String origin = request.getHeader("Origin");
        String own = edge.hostOf(request);
        if (origin != null && !origin.equals("http://" + own) && !origin.equals("https://" + own)) {
            return true;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        boolean byLink = READING.contains(request.method())
                && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                && "document".equals(request.getHeader("Sec-Fetch-Dest"));
        return site != null && !OWN_SITE.contains(site) && !byLink;
    }

    /** In plain text: a person reads it in place of a page. */
    private void fail(RoutingContext ctx) {
        var response = ctx.response();
        if (!(ctx.failure() instanceof ApiError error) || response.headWritten()) {
            otherFailures.handle(ctx);
            return;
        }
        if (response.closed()) {
            return;
        }
        boolean sent = WebServerDoor.hasSent(ctx);
        response.setStatusCode(
                        sent ? ApiError.Kind.BAD_GATEWAY.status() : error.kind().status())
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .end((sent ? "The agent's web server ended the connection before it answered." : error.publicMessage())
                        + "\n");
    }
}
