package ai.molecule.proxy.frontdoor;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Role;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.routing.RoutingTable;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;

/**
 * Another canvas that runs beside the platform ({@code CANVAS_PROXY_URL}) and is shown under its origin: {@code /} and every GET
 * that nobody owns go there, without credentials; the platform's own page is then at {@code /ui/}. Being under one origin is no
 * credential: where people sign in, whoever asks for a page without a session is led to the page that makes one, and from there back.
 */
public final class CanvasBeside implements Handler<RoutingContext> {

    /** What a built single-page canvas needs: scripts and styles in its page, and sockets to us. */
    private static final String POLICY =
            "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
                    + "img-src 'self' data: blob:; connect-src 'self' ws: wss:; font-src 'self' data:";

    private final FrontDoor frontDoor;
    private final Guards guards;
    private final boolean asksWho;

    public CanvasBeside(FrontDoor frontDoor, Guards guards, PlatformConfig config) {
        this.frontDoor = frontDoor;
        this.guards = guards;
        this.asksWho = config.adminToken() != null;
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (!isCanvas(ctx)) {
            frontDoor.handle(ctx);
        } else if (!asksWho || !isPage(ctx.request()) || hasCookie(ctx.request())) {
            show(ctx);
        } else {
            ctx.request().pause();
            guards.admin(Bearer.of(ctx.request()), Role.VIEWER)
                    .onComplete(known -> ctx.request().resume())
                    .onSuccess(known -> show(ctx))
                    .onFailure(refused -> signIn(ctx, refused));
        }
    }

    private boolean isCanvas(RoutingContext ctx) {
        var method = ctx.request().method();
        boolean reads = HttpMethod.GET.equals(method) || HttpMethod.HEAD.equals(method);
        String path = ctx.normalizedPath();
        return reads
                && frontDoor.hasCanvas()
                && (path.equals("/") || RoutingTable.ownerOf(path).isEmpty());
    }

    private void show(RoutingContext ctx) {
        ctx.response().putHeader("Content-Security-Policy", POLICY);
        frontDoor.toCanvas(ctx);
    }

    private static void signIn(RoutingContext ctx, Throwable refused) {
        if (refused instanceof ApiError error && error.kind() == ApiError.Kind.UNAUTHENTICATED) {
            String back = URLEncoder.encode(ctx.request().uri(), UTF_8);
            ctx.response()
                    .setStatusCode(303)
                    .putHeader("Cache-Control", "no-store")
                    .putHeader("Location", "/ui/?next=" + back)
                    .end();
        } else {
            ctx.fail(refused);
        }
    }

    /** A page that is opened can send no header, and so no whole session; what it is shown is files, and its calls are asked for both halves. */
    private static boolean hasCookie(HttpServerRequest request) {
        return request.getHeader("Authorization") == null && request.getCookie(SessionCookie.NAME) != null;
    }

    /** What a person sees; scripts, styles and pictures of a canvas hold nothing. */
    private static boolean isPage(HttpServerRequest request) {
        String accepted = request.getHeader("Accept");
        return accepted != null && accepted.contains("text/html");
    }
}
