package ai.molecule.proxy.frontdoor;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Arrays;
import java.util.stream.Stream;

/** Cookies as a client sent them: Vert.x keeps one of each name, and a browser may send several that were set for different domains. */
public final class SentCookies {

    private SentCookies() {}

    /** Each as {@code name=value}, in their order. */
    public static Stream<String> of(MultiMap headers) {
        return headers.getAll(HttpHeaders.COOKIE).stream()
                .flatMap(line -> Arrays.stream(line.split(";", -1)))
                .map(String::strip)
                .filter(cookie -> !cookie.isEmpty());
    }
}
