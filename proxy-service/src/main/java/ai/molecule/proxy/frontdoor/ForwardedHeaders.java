package ai.molecule.proxy.frontdoor;

import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.tracing.TraceHeaders;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Headers across the front door. Towards an owner: as the client sent them and in its order, without what concerns one
 * connection, with the platform's word about who the client is in place of the client's. Towards the client: each header once.
 */
final class ForwardedHeaders {

    /** RFC 9110, section 7.6.1, and the older {@code Keep-Alive} and {@code Proxy-Connection}. */
    private static final List<String> OF_ONE_CONNECTION = List.of(
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
    private static final List<String> OURS_TO_SAY = List.of(
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

    private static final HeaderNames ONE_CONNECTION = new HeaderNames(OF_ONE_CONNECTION);
    private static final HeaderNames NOT_PASSED_ON = new HeaderNames(
            Stream.concat(OF_ONE_CONNECTION.stream(), OURS_TO_SAY.stream()).toList());

    // Their hash is known already.
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized(RequestId.HEADER);
    private static final CharSequence FORWARDED_FOR = HttpHeaders.createOptimized("X-Forwarded-For");
    private static final CharSequence FORWARDED_PROTO = HttpHeaders.createOptimized("X-Forwarded-Proto");
    private static final CharSequence FORWARDED_HOST = HttpHeaders.createOptimized("X-Forwarded-Host");
    private static final CharSequence EDGE = HttpHeaders.createOptimized(Edge.HEADER);

    private final @Nullable String secret;
    private final Edge edge;

    ForwardedHeaders(PlatformConfig config, Edge edge) {
        this(config.edgeSecret(), edge);
    }

    private ForwardedHeaders(@Nullable String secret, Edge edge) {
        this.secret = secret;
        this.edge = edge;
    }

    /** Towards what is no part of the platform: without what proves that the front door passed it on. */
    static ForwardedHeaders toOthers(Edge edge) {
        return new ForwardedHeaders((String) null, edge);
    }

    /**
     * The {@code Host} stays the client's, so that the owner judges origins and host names as if it were asked directly.
     *
     * @param traced whether the request to the owner says by itself to which trace it belongs
     */
    void copy(HttpServerRequest from, String requestId, boolean traced, HttpClientRequest to) {
        var named = namedByConnection(from.getHeader(HttpHeaders.CONNECTION));
        var headers = to.headers();
        for (Map.Entry<String, String> header : from.headers()) {
            String name = header.getKey();
            boolean dropped = named.contains(name) && !isJudgedBy(name);
            if (!NOT_PASSED_ON.contains(name) && !dropped && !(traced && TraceHeaders.isOne(name))) {
                headers.add(name, header.getValue());
            }
        }
        if (from.authority() != null) {
            to.authority(from.authority());
        }
        if (Upgrade.wanted(from)) {
            headers.add(HttpHeaders.CONNECTION, "Upgrade").add(HttpHeaders.UPGRADE, "websocket");
        }
        String origin = edge.originOf(from);
        int separator = origin.indexOf("://");
        headers.add(REQUEST_ID, requestId)
                .add(FORWARDED_FOR, edge.clientOf(from))
                .add(FORWARDED_PROTO, origin.substring(0, separator))
                .add(FORWARDED_HOST, origin.substring(separator + "://".length()));
        if (secret != null) {
            headers.add(EDGE, secret);
        }
    }

    /** The front door's headers about origins, limits and the request's id stay; all others are the owner's. */
    static void copyBack(HttpClientResponse from, HttpServerResponse to) {
        String connection = from.getHeader(HttpHeaders.CONNECTION);
        var named = namedByConnection(connection);
        var headers = to.headers();
        Set<String> decidedHere = Set.of();
        for (Map.Entry<String, String> header : from.headers()) {
            String name = header.getKey();
            if (headers.contains(name)) {
                if (isFrontDoors(name)) {
                    decidedHere = decidedHere.isEmpty() ? new TreeSet<>(String.CASE_INSENSITIVE_ORDER) : decidedHere;
                    decidedHere.add(name);
                } else if (!ONE_CONNECTION.contains(name)) {
                    headers.remove(name);
                }
            }
        }
        for (Map.Entry<String, String> header : from.headers()) {
            String name = header.getKey();
            if (!ONE_CONNECTION.contains(name)
                    && !named.contains(name)
                    && (decidedHere.isEmpty() || !decidedHere.contains(name))) {
                headers.add(name, header.getValue());
            }
        }
        if ("keep-alive".equalsIgnoreCase(connection)) {
            headers.set(
                    HttpHeaders.CONNECTION,
                    HttpHeaders
                            .KEEP_ALIVE); // of an event stream; as true of this connection, which otherwise says close
        }
    }

    private static boolean isJudgedBy(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return name.startsWith("x-molecule-") || JUDGED_BY.contains(name);
    }

    private static boolean isFrontDoors(String header) {
        String name = header.toLowerCase(Locale.ROOT);
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
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String name : connection.split(",", -1)) {
            names.add(name.trim());
        }
        return names;
    }
}
