package ai.molecule.common.auth;

import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The token of an {@code Authorization} header. Of several such headers the first counts. */
public final class Bearer {

    private static final String SCHEME = "Bearer ";

    private Bearer() {}

    /** Null when there is no header, another scheme, or nothing behind {@code Bearer}. */
    public static @Nullable String of(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.startsWith(SCHEME)) {
            return null;
        }
        String token = header.substring(SCHEME.length()).trim();
        return token.isEmpty() ? null : token;
    }
}
