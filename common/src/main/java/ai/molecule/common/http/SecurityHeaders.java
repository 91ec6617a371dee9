package ai.molecule.common.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;

/** Set before the handler, so that a handler may override them (docs/wire/README.md). */
public final class SecurityHeaders implements Handler<RoutingContext> {

    @Override
    public void handle(RoutingContext ctx) {
        ctx.response()
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("X-Frame-Options", "DENY")
                .putHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
                .putHeader("Referrer-Policy", "strict-origin-when-cross-origin")
                .putHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
                .putHeader("Content-Security-Policy", "default-src 'self'");
        ctx.next();
    }
}
