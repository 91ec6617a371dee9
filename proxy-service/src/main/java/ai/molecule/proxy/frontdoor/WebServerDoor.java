package ai.molecule.proxy.frontdoor;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RequestId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.ext.web.RoutingContext;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Takes requests to web servers of agents at 127.0.0.1 as {@link FrontDoor} takes them to owners: bodies streamed, upgrades tunnelled. It passes on
 * nothing that opens anything of the platform, and asks of each connection whose its other end is before anything is sent. To be used on
 * one event loop.
 */
public final class WebServerDoor {

    /** Whether a workspace has the other end of a connection of ours. */
    public interface OtherEnd {

        /** @param from our own port */
        Future<Boolean> isThere(int from);
    }

    /**
     * For whom a request is passed on.
     *
     * @param again fails with a refusal once whoever asks may not any more: sockets and event streams end then
     */
    public record Target(UUID workspaceId, int port, OtherEnd otherEnd, Supplier<Future<?>> again) {}

    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int CONNECTIONS_PER_SERVER_MAX = 128;
    private static final int WAITING_PER_SERVER_MAX = 256;

    /** Below the 5 s after which common web servers close idle connections. */
    private static final int IDLE_SECONDS = 4;

    private static final int HEADERS_MAX_BYTES = 64 * 1024;

    /** Web servers of agents send no pings; one that ends closes its connections, since it is on this machine. */
    private static final FrontDoorLimits LIMITS = new FrontDoorLimits(Duration.ofHours(1));

    /** What opens something here, and what the platform believes of itself. */
    private static final Set<String> KEPT_BACK =
            Set.of("authorization", "x-workspace-id", "x-source-workspace-id", "fly-replay-src");

    private static final String OURS = "x-molecule-";

    /** Orders of an application to Fly, nginx and others: another app, or a file of theirs, would be the answer. */
    private static final List<String> TO_THE_EDGE = List.of("fly-", "x-accel-", "x-sendfile");

    /** How the names of the platform's cookies begin. */
    private static final String OUR_COOKIES = "molecule_";

    private static final String SENT = WebServerDoor.class.getName();

    private final HttpClient client;
    private final ForwardedHeaders headers;
    private final PendingRequests pending;
    private final CredentialWatch<Object> open;
    private final LongLivedConnections longLived = new LongLivedConnections();

    /** Of which workspace the other end was when it was asked; until a connection ends it has the same one. */
    private final Map<HttpConnection, UUID> judged = new WeakHashMap<>();

    public WebServerDoor(Vertx vertx, PlatformConfig config, CredentialWatch<Object> open) {
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) CONNECT_TIMEOUT.toMillis())
                        .setKeepAliveTimeout(IDLE_SECONDS)
                        .setMaxHeaderSize(HEADERS_MAX_BYTES)
                        .setTracingPolicy(TracingPolicy.IGNORE)
                        .setDecompressionSupported(false),
                new PoolOptions()
                        .setHttp1MaxSize(CONNECTIONS_PER_SERVER_MAX)
                        .setMaxWaitQueueSize(WAITING_PER_SERVER_MAX));
        this.headers = ForwardedHeaders.toOthers(new Edge(config));
        this.pending = new PendingRequests( // slow ones stand still for nobody
                vertx, server -> Future.succeededFuture(true), server -> true);
        this.open = open;
    }

    /** Whether the request was on its way to the web server when it failed, so that the failure is the web server's. */
    public static boolean hasSent(RoutingContext ctx) {
        return ctx.get(SENT) != null;
    }

    /** @param ctx whose request is paused */
    public void pass(RoutingContext ctx, Target target) {
        if (FrontDoor.refuses(ctx)) {
            return;
        }
        ctx.addHeadersEndHandler(head -> List.copyOf(ctx.response().headers().names()).stream()
                .filter(WebServerDoor::speaksToTheEdge)
                .forEach(ctx.response().headers()::remove));
        var server = SocketAddress.inetSocketAddress(target.port, LOOPBACK);
        client.request(new RequestOptions()
                        .setMethod(ctx.request().method())
                        .setServer(server)
                        .setFollowRedirects(false)
                        .setURI(ctx.request().uri()))
                .recover(failure -> Future.failedFuture(notConnected(failure, target.port)))
                .compose(request -> ofTheRightWorkspace(request, target))
                .onSuccess(request -> send(ctx, request, server, target))
                .onFailure(ctx::fail);
    }

    /** Ends what would not end by itself; to be called before the server stops. */
    public void close() {
        longLived.end();
    }

    private static ApiError notConnected(Throwable failure, int port) {
        return failure instanceof ConnectException
                ? new ApiError(
                        ApiError.Kind.BAD_GATEWAY,
                        "Nothing listens at 127.0.0.1:%d. Start the agent's web server there, then reload."
                                .formatted(port))
                : ApiError.unavailable("Too many requests wait for port %d. Reload in a moment.".formatted(port));
    }

    private Future<HttpClientRequest> ofTheRightWorkspace(HttpClientRequest request, Target target) {
        var connection = request.connection();
        if (target.workspaceId.equals(judged.get(connection))) {
            return Future.succeededFuture(request);
        }
        var here = connection.localAddress();
        return (here == null ? Future.succeededFuture(false) : target.otherEnd.isThere(here.port())).compose(is -> {
            if (is) {
                judged.put(connection, target.workspaceId);
                return Future.succeededFuture(request);
            }
            request.exceptionHandler(closed -> {}); // which is what was meant
            request.reset();
            connection.close();
            return Future.failedFuture(ApiError.forbidden(
                    "Port %d is not served by a process of this agent, as far as the system can tell, so it is not shown."
                            .formatted(target.port)));
        });
    }

    private void send(RoutingContext ctx, HttpClientRequest request, SocketAddress server, Target target) {
        headers.copy(ctx.request(), RequestId.of(ctx), false, request);
        keepBack(request);
        ctx.put(SENT, true);
        var watched = new Watched(target);
        if (Upgrade.wanted(ctx.request())) {
            Upgrade.tunnel(ctx, request, server, watched, pending, LIMITS);
        } else {
            new Passage(ctx, request, server, watched, pending, LIMITS).start();
        }
    }

    private static void keepBack(HttpClientRequest request) {
        var sent = request.headers();
        for (String name : List.copyOf(sent.names())) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (KEPT_BACK.contains(lower) || lower.startsWith(OURS)) {
                sent.remove(name);
            }
        }
        String theirs = SentCookies.of(sent).filter(cookie -> !isOurs(cookie)).collect(Collectors.joining("; "));
        sent.remove(HttpHeaders.COOKIE);
        if (!theirs.isEmpty()) {
            sent.set(HttpHeaders.COOKIE, theirs);
        }
    }

    /** What a proxy in front of the platform takes for its own application's word. */
    private static boolean speaksToTheEdge(String header) {
        String lower = header.toLowerCase(Locale.ROOT);
        return TO_THE_EDGE.stream().anyMatch(lower::startsWith);
    }

    private static boolean isOurs(String cookie) {
        return cookie.regionMatches(true, 0, OUR_COOKIES, 0, OUR_COOKIES.length());
    }

    /** Sockets and event streams of one request, which end with the right to open it. */
    private final class Watched extends LongLivedConnections {

        private final Target target;

        Watched(Target target) {
            this.target = target;
        }

        @Override
        void add(Runnable ending) {
            longLived.add(ending);
            open.watch(ending, Set.of(target.workspaceId), target.again, refused -> ending.run());
        }

        @Override
        boolean takesUnsized() {
            return true;
        }

        @Override
        void remove(Runnable ending) {
            longLived.remove(ending);
            open.forget(ending);
        }
    }
}
