package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Handler;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The cookie of a person's session. Where it counts it becomes the request's bearer, here and once, so that no guard, route, owner or
 * socket knows another kind of credential. It counts for pages of this very origin alone: browsers also send it for pages of other ports
 * of this machine, which are the same site to them. A change asks for {@value #PROOF} besides, which no page of another origin can send
 * unasked, or for the browser's own word that the page is ours. It means nothing where no {@code ADMIN_TOKEN} is set, beside an
 * {@code Authorization}, and to agents' own door.
 */
public final class SessionCookie implements Handler<RoutingContext> {

    public static final String NAME = "molecule_session";

    /** Any value will do: that it can be sent at all is the proof. */
    public static final String PROOF = "X-Molecule-CSRF";

    private static final String SITE = "Sec-Fetch-Site";
    private static final String OUR_PAGE = "same-origin";

    /** {@code none}: a person typed the address. */
    private static final Set<String> NOBODY_ELSES = Set.of(OUR_PAGE, "none");

    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final boolean counts;
    private final Edge edge;

    public SessionCookie(PlatformConfig config, Edge edge) {
        this.counts = config.adminToken() != null; // where it is turned off there is one all the same
        this.edge = edge;
    }

    /** Whether a page must sign in here. */
    public boolean counts() {
        return counts;
    }

    @Override
    public void handle(RoutingContext ctx) {
        var request = ctx.request();
        var token = AgentsEntrance.took(request) ? Optional.<String>empty() : of(request);
        if (token.isPresent() && request.getHeader(HttpHeaders.AUTHORIZATION) == null) {
            if (!READING.contains(request.method()) && !isProven(request)) {
                ctx.fail(ApiError.forbidden("a change by cookie needs the header " + PROOF));
                return;
            }
            request.headers().set(HttpHeaders.AUTHORIZATION, "Bearer " + token.get());
        }
        ctx.next();
    }

    /** What it holds, where it counts at all: empty also when a page of another origin had it sent. */
    public Optional<String> of(HttpServerRequest request) {
        var cookie = counts ? request.getCookie(NAME) : null;
        return cookie == null || cookie.getValue().isEmpty() || !isOwn(request)
                ? Optional.empty()
                : Optional.of(cookie.getValue());
    }

    /** Kept by the browser for that long, out of reach of scripts; over TLS never sent without. */
    public Cookie holding(String token, Duration life, HttpServerRequest request) {
        return like(NAME, token, life, request);
    }

    /** One of another name that is kept as safely. */
    public Cookie like(String name, String value, Duration life, HttpServerRequest request) {
        return Cookie.cookie(name, value)
                .setPath("/")
                .setHttpOnly(true)
                .setSameSite(CookieSameSite.STRICT)
                .setSecure(isSecure(request))
                .setMaxAge(life.toSeconds());
    }

    /** Has the browser forget it. */
    public Cookie over(HttpServerRequest request) {
        return holding("", Duration.ZERO, request);
    }

    /** Every browser names the origin of a POST, also where something before us ends TLS. */
    private boolean isSecure(HttpServerRequest request) {
        String origin = request.getHeader("Origin");
        return (origin == null ? edge.originOf(request) : origin).startsWith("https:");
    }

    /** Fails with FORBIDDEN when a page of another origin has it sent: nobody is signed in by such a page, as whomever. */
    public void requireOwn(HttpServerRequest request) {
        if (!isOwn(request)) {
            throw ApiError.forbidden("only a page of this platform signs in");
        }
    }

    private boolean isOwn(HttpServerRequest request) {
        String site = request.getHeader(SITE);
        String origin = request.getHeader("Origin");
        return (site == null || NOBODY_ELSES.contains(site)) && (origin == null || isOwn(origin, request));
    }

    private boolean isOwn(String origin, HttpServerRequest request) {
        String host = edge.hostOf(request);
        return origin.equals("http://" + host) || origin.equals("https://" + host);
    }

    private static boolean isProven(HttpServerRequest request) {
        String proof = request.getHeader(PROOF);
        return (proof != null && !proof.isEmpty()) || OUR_PAGE.equals(request.getHeader(SITE));
    }
}
