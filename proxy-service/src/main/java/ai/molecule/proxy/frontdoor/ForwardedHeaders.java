package ai.molecule.proxy.frontdoor;

import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.tracing.TraceHeaders;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Headers across the front door. Towards an owner: as the client sent them and in its order, without what concerns one
 * connection, with the platform's word about who the client is in place of the client's. Towards the client: each header once.
 */
final class ForwardedHeaders {

    /** RFC 9110, section 7.6.1, and the older {@code Keep-Alive} and {@code Proxy-Connection}. */
    private static final Set<String> ONE_CONNECTION = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    /** Headers that only the front door sets, handles on its own, or answers itself. */
    private static final Set<String> OURS_TO_SAY = Set.of(
            "host",
            "forwarded",
            "x-forwarded-for",
            "x-forwarded-proto",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-real-ip",
            "x-molecule-edge",
            "x-request-id",
            "expect");

    /**
     * What owners judge a request by, besides everything {@code x-molecule-…}. A client may not have it dropped on the way by
     * naming it in {@code Connection}: without its bearer or the mark of the agents' entrance a request would pass for somebody's.
     */
    private static final Set<String> JUDGED_BY = Set.of(
            "authorization",
            "cookie",
            "origin",
            "content-length",
            "content-type",
            "fly-replay-src",
            "x-source-workspace-id",
            "x-workspace-id");

    private static final Set<String> NOT_PASSED_ON = new HashSet<>(OURS_TO_SAY);

    static {
        NOT_PASSED_ON.addAll(ONE_CONNECTION);
    }

    private final @Nullable String secret;
    private final Edge edge;

    ForwardedHeaders(PlatformConfig config, Edge edge) {
        this.secret = config.edgeSecret();
        this.edge = edge;
    }

    /**
     * The {@code Host} stays the client's, so that the owner judges origins and host names as if it were asked directly.
     *
     * @param traced whether the request to the owner says by itself to which trace it belongs
     */
    void copy(HttpServerRequest from, String requestId, boolean traced, HttpClientRequest to) {
        boolean upgrade = Upgrade.wanted(from);
        var named = namedByConnection(from.getHeader("Connection"));
        for (Map.Entry<String, String> header : from.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            boolean dropped = named.contains(name) && !isJudgedBy(name);
            if (!NOT_PASSED_ON.contains(name) && !dropped && !(traced && TraceHeaders.isOne(name))) {
                to.headers().add(header.getKey(), header.getValue());
            }
        }
        if (from.authority() != null) {
            to.authority(from.authority());
        }
        if (upgrade) {
            to.putHeader("Connection", "Upgrade").putHeader("Upgrade", "websocket");
        }
        String origin = edge.originOf(from);
        int separator = origin.indexOf("://");
        to.putHeader(RequestId.HEADER, requestId)
                .putHeader("X-Forwarded-For", edge.clientOf(from))
                .putHeader("X-Forwarded-Proto", origin.substring(0, separator))
                .putHeader("X-Forwarded-Host", origin.substring(separator + "://".length()));
        if (secret != null) {
            to.putHeader(Edge.HEADER, secret);
        }
    }

    /** The front door's headers about origins, limits and the request's id stay; all others are the owner's. */
    static void copyBack(HttpClientResponse from, HttpServerResponse to) {
        var named = namedByConnection(from.getHeader("Connection"));
        Set<String> decidedHere = new HashSet<>();
        for (Map.Entry<String, String> header : from.headers()) {
            if (to.headers().contains(header.getKey())) {
                String name = header.getKey().toLowerCase(Locale.ROOT);
                if (isFrontDoors(name)) {
                    decidedHere.add(name);
                } else if (!ONE_CONNECTION.contains(name)) {
                    to.headers().remove(header.getKey());
                }
            }
        }
        for (Map.Entry<String, String> header : from.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!ONE_CONNECTION.contains(name) && !named.contains(name) && !decidedHere.contains(name)) {
                to.headers().add(header.getKey(), header.getValue());
            }
        }
        if ("keep-alive".equalsIgnoreCase(from.getHeader("Connection"))) {
            to.putHeader(
                    "Connection",
                    "keep-alive"); // of an event stream; as true of this connection, which otherwise says close
        }
    }

    private static boolean isJudgedBy(String name) {
        return name.startsWith("x-molecule-") || JUDGED_BY.contains(name);
    }

    private static boolean isFrontDoors(String name) {
        return name.startsWith("access-control-")
                || name.startsWith("x-ratelimit-")
                || name.equals("vary")
                || name.equals("x-request-id");
    }

    private static Set<String> namedByConnection(@Nullable String connection) {
        if (connection == null
                || connection.equalsIgnoreCase("keep-alive")) { // the usual word, which is dropped anyway
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (String name : connection.split(",", -1)) {
            names.add(name.trim().toLowerCase(Locale.ROOT));
        }
        return names;
    }
}
