package ai.molecule.events.pages;

import ai.molecule.common.ApiError;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /} is asked for anew each time, {@code GET /ui/:file} never again: its name has a hash of its content. The page may run and
 * load what lies here and nothing else, no script of its own text, and speak with nobody but this platform.
 */
public final class PageRoutes {

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types lit-html";

    private final Map<String, PageFile> files = PageFile.all();

    /** The page itself; 304 for who has it. */
    public void index(RoutingContext ctx) {
        send(ctx, get(PageFile.INDEX), "no-cache");
    }

    /** What the page names; 404 for what it does not. */
    public void file(RoutingContext ctx) {
        send(ctx, get(ctx.pathParam("file")), "public, max-age=31536000, immutable");
    }

    private PageFile get(@Nullable String name) {
        var file = name == null ? null : files.get(name);
        if (file == null) {
            throw ApiError.notFound("not found");
        }
        return file;
    }

    private static void send(RoutingContext ctx, PageFile file, String caching) {
        var response = ctx.response()
                .putHeader("Content-Type", file.contentType())
                .putHeader("Cache-Control", caching)
                .putHeader("ETag", file.tag())
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin");
        if (file.tag().equals(ctx.request().getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
        } else if (takesGzip(ctx.request().getHeader("Accept-Encoding"))) {
            response.putHeader("Content-Encoding", "gzip").end(file.packed());
        } else {
            response.end(file.plain());
        }
    }

    private static boolean takesGzip(@Nullable String accepted) {
        if (accepted == null) {
            return false;
        }
        for (String coding : accepted.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = coding.split(";", 2);
            boolean refused = parts.length == 2 && parts[1].strip().matches("q=0(\\.0*)?");
            if (parts[0].strip().equals("gzip") && !refused) {
                return true;
            }
        }
        return false;
    }
}
