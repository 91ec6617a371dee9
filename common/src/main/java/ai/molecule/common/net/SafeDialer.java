package ai.molecule.common.net;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens HTTP requests to addresses that came from outside. The name is resolved here, every address it has must pass the rules,
 * and the address that passed is the one connected to, so a name cannot point elsewhere a moment later. Redirects are never
 * followed.
 */
public final class SafeDialer {

    /** Connections to one agent; callers beyond it queue in the client. */
    private static final int CONNECTIONS_PER_AGENT_MAX = 256;

    private static final int QUEUED_PER_AGENT_MAX = 10_000;

    /** Below the 5 s after which common agent servers close: a request that meets their close is lost and is never repeated. */
    private static final int IDLE_SECONDS = 4;

    /** A resolved name is believed this long. */
    private static final Duration NAME_AGE_MAX = Duration.ofSeconds(5);

    private static final int NAMES_MAX = 10_000;

    private record Resolved(InetAddress address, long atNanos) {}

    private final Vertx vertx;
    private final AddressRules rules;
    private final HttpClientAgent client;
    private final Map<String, Resolved> names = new ConcurrentHashMap<>();

    public SafeDialer(Vertx vertx, AddressRules rules, Duration connectTimeout) {
        this.vertx = vertx;
        this.rules = rules;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) connectTimeout.toMillis())
                        .setKeepAliveTimeout(IDLE_SECONDS)
                        .setDecompressionSupported(false),
                new PoolOptions().setHttp1MaxSize(CONNECTIONS_PER_AGENT_MAX).setMaxWaitQueueSize(QUEUED_PER_AGENT_MAX));
    }

    /**
     * Connects and returns the open request, nothing sent yet. The path is the URL's own, {@code /} when it has none.
     *
     * @param trusted whether the platform itself recorded this URL: then the address rules are skipped
     * @return fails with BAD_GATEWAY {@code workspace URL is not publicly routable} when the rules refuse it, and with the
     *     connection's own failure when nobody answers there
     */
    public Future<HttpClientRequest> open(HttpMethod method, String url, boolean trusted) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException malformed) {
            return Future.failedFuture(refused());
        }
        String host = uri.getHost();
        boolean https = "https".equalsIgnoreCase(uri.getScheme());
        if (host == null || !(https || "http".equalsIgnoreCase(uri.getScheme()))) {
            return Future.failedFuture(refused());
        }
        int port = uri.getPort() > 0 ? uri.getPort() : https ? 443 : 80;
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String target = uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
        return resolve(host, trusted)
                .compose(address -> client.request(new RequestOptions()
                        .setMethod(method)
                        .setServer(SocketAddress.inetSocketAddress(port, address.getHostAddress()))
                        .setHost(host)
                        .setPort(port)
                        .setSsl(https)
                        .setFollowRedirects(false)
                        .setURI(target)));
    }

    /** Whether every address of the URL's host passes the rules, without connecting. */
    public Future<Boolean> permits(String url) {
        try {
            String host = new URI(url).getHost();
            return host == null
                    ? Future.succeededFuture(false)
                    : resolve(host, false).map(true).otherwise(false);
        } catch (URISyntaxException malformed) {
            return Future.succeededFuture(false);
        }
    }

    public Future<Void> close() {
        return client.close();
    }

    private Future<InetAddress> resolve(String host, boolean trusted) {
        String key = (trusted ? "+" : "-") + host;
        var known = names.get(key);
        if (known != null && System.nanoTime() - known.atNanos < NAME_AGE_MAX.toNanos()) {
            return Future.succeededFuture(known.address);
        }
        return vertx.executeBlocking(() -> checked(host, trusted), false).onSuccess(address -> {
            if (names.size() >= NAMES_MAX) {
                names.clear();
            }
            names.put(key, new Resolved(address, System.nanoTime()));
        });
    }

    private InetAddress checked(String host, boolean trusted) {
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
        } catch (UnknownHostException unknown) {
            throw refused();
        }
        for (var address : addresses) {
            if (!trusted && !rules.allows(address)) {
                throw refused();
            }
        }
        return addresses[0];
    }

    private static ApiError refused() {
        return new ApiError(ApiError.Kind.BAD_GATEWAY, "workspace URL is not publicly routable");
    }
}
