package ai.molecule.common.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Set before the handler, so that a handler may override them (docs/wire/README.md). */
public final class SecurityHeaders implements Handler<RoutingContext> {

    private record Header(CharSequence name, CharSequence value) {

        /** Prepared once: Vert.x neither checks nor encodes it again for every response. */
        static Header of(String name, String value) {
            return new Header(HttpHeaders.createOptimized(name), HttpHeaders.createOptimized(value));
        }
    }

    private static final List<Header> ALL = List.of(
            Header.of("X-Content-Type-Options", "nosniff"),
            Header.of("X-Frame-Options", "DENY"),
            Header.of("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
            Header.of("Referrer-Policy", "strict-origin-when-cross-origin"),
            Header.of("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
            Header.of("Content-Security-Policy", "default-src 'self'"));

    @Override
    public void handle(RoutingContext ctx) {
        addTo(ctx);
        ctx.next();
    }

    /** Sets them on an answer that is given before this handler runs. */
    static void addTo(RoutingContext ctx) {
        var headers = ctx.response().headers();
        for (int i = 0; i < ALL.size(); i++) {
            var header = ALL.get(i);
            headers.set(header.name, header.value);
        }
    }
}
