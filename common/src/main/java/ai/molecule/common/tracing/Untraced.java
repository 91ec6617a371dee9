package ai.molecule.common.tracing;

import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests that make no trace: probes, which come every second and tell nothing; what agents tell of traces; and sockets and event streams, which stay open
 * for hours and do their work between requests.
 */
final class Untraced {

    private static final Set<String> UNTOLD = Set.of("/health", "/ready", "/metrics", "/v1/traces");

    private Untraced() {}

    static boolean is(Object request) {
        return switch (request) {
            case HttpServerRequest http ->
                UNTOLD.contains(http.path())
                        || isStream(http.path())
                        || http.headers().contains(HttpHeaders.UPGRADE);
            case Message<?> message -> message.address().startsWith("__vertx.");
            default -> false;
        };
    }

    private static boolean isStream(@Nullable String path) {
        return path != null && path.endsWith("/events/stream");
    }
}
