package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Handler;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The cookie of a person's session. Cookies know no ports: a browser sends one to whatever listens on another port of the same host, an
 * agent's web server included. So the cookie is only half of the credential. The other half is the value of {@value #PROOF}, which the page
 * keeps in its own origin's storage; both together become the request's bearer, here and once, so that no guard, route, owner or socket
 * knows another kind of credential. The cookie alone opens nothing. Both count for pages of this very origin alone. They mean nothing where
 * no {@code ADMIN_TOKEN} is set, beside an {@code Authorization}, and to agents' own door.
 */
public final class SessionCookie implements Handler<RoutingContext> {

    public static final String NAME = "molecule_session";

    /** Holds the half that the page keeps. */
    public static final String PROOF = "X-Molecule-CSRF";

    private static final String SITE = "Sec-Fetch-Site";

    /** {@code none}: a person typed the address. */
    private static final Set<String> NOBODY_ELSES = Set.of("same-origin", "none");

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
            request.headers().set(HttpHeaders.AUTHORIZATION, "Bearer " + token.get());
        }
        ctx.next();
    }

    /** The session's token, of both halves; empty also when a page of another origin had the cookie sent. */
    public Optional<String> of(HttpServerRequest request) {
        var cookie = counts ? request.getCookie(NAME) : null;
        String proof = request.getHeader(PROOF);
        return cookie == null || cookie.getValue().isEmpty() || proof == null || proof.isEmpty() || !isOwn(request)
                ? Optional.empty()
                : Optional.of(joined(cookie.getValue(), proof));
    }

    /** The session's token, of what the cookie holds and what the page keeps. */
    public static String joined(String cookie, String proof) {
        return cookie + "." + proof;
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
}
