package ai.molecule.proxy.frontdoor;

import static java.util.Objects.requireNonNull;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Connections;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.net.NameLookup;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes every path that is not the proxy's own to its owner: bodies streamed both ways with back-pressure, upgrades tunnelled,
 * nothing held back. A path nobody owns falls through to the router's 404.
 */
public final class FrontDoor implements Handler<RoutingContext> {

    /** On the same machine or network: an owner that does not accept by then is down. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    /** Connections to one owner; WebSockets and event streams hold theirs. Below the 28,000 ports one address pair has. */
    private static final int CONNECTIONS_MAX = 20_000;

    private static final int WAITING_MAX = 1_000;

    private static final List<String> NOT_THE_CANVAS =
            List.of("Authorization", "Cookie", SessionCookie.PROOF, Edge.HEADER);

    private static final String CONTINUE = "100-continue";
    private static final int EXPECTATION_FAILED = 417;

    /** Replicas of one owner that are asked before it counts as down. */
    private static final int REPLICAS_TRIED_MAX = 3;

    private final HttpClient client;
    private final Map<Owner, Replicas> replicas;
    private final ForwardedHeaders headers;
    private final LongLivedConnections longLived = new LongLivedConnections();
    private final PendingRequests pending;
    private final FrontDoorLimits limits;
    private final @Nullable SocketAddress canvas;

    public FrontDoor(Vertx vertx, PlatformConfig config, Owners owners, Reconcilers reconcilers) {
        this(vertx, config, owners, reconcilers, FrontDoorLimits.DEFAULT);
    }

    public FrontDoor(
            Vertx vertx, PlatformConfig config, Owners owners, Reconcilers reconcilers, FrontDoorLimits limits) {
        this.limits = limits;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) CONNECT_TIMEOUT.toMillis())
                        .setDecompressionSupported(false),
                new PoolOptions().setHttp1MaxSize(CONNECTIONS_MAX).setMaxWaitQueueSize(WAITING_MAX));
        Map<Owner, List<URI>> urls = Map.of(
                Owner.REGISTRY,
                owners.registry(),
                Owner.EVENTS,
                owners.events(),
                Owner.PROVISIONER,
                owners.provisioner());
        this.replicas = urls.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey,
                        of -> new Replicas(vertx, client, NameLookup.SYSTEM, of.getValue(), reconcilers, of.getKey())));
        var beside = owners.canvas();
        this.canvas =
                beside == null ? null : SocketAddress.inetSocketAddress(Replicas.portOf(beside), beside.getHost());
        this.headers = new ForwardedHeaders(config, new Edge(config));
        this.pending = new PendingRequests(
                vertx,
                address -> Replicas.answer(client, address, Replicas.patience(replicas.values(), address))
                        .map(true)
                        .otherwise(false),
                address ->
                        address.equals(canvas) || replicas.values().stream().anyMatch(those -> those.knows(address)));
    }

    @Override
    public void handle(RoutingContext ctx) {
        RoutingTable.rowOf(ctx.normalizedPath())
                .filter(row -> row.owner() != Owner.PROXY)
                .ifPresentOrElse(row -> pass(ctx, row), ctx::next);
    }

    private void pass(RoutingContext ctx, RoutingTable.Row row) {
        AccessLog.routeIs(ctx, row.pattern());
        if (refuses(ctx)) {
            return;
        }
        ctx.request().pause(); // until there is somebody to read it
        var those = requireNonNull(replicas.get(row.owner()));
        var addresses = those.inTurn().stream()
                .filter(address -> !pending.standsStill(address))
                .toList();
        if (addresses.isEmpty()) {
            ctx.fail(Passage.down());
        } else {
            open(ctx, those, addresses, 0);
        }
    }

    boolean hasCanvas() {
        return canvas != null;
    }

    /** To the canvas beside, which gets no credential, not even a visitor's. */
    void toCanvas(RoutingContext ctx) {
        AccessLog.routeIs(ctx, "canvas");
        if (refuses(ctx)) {
            return;
        }
        ctx.request().pause();
        client.request(options(ctx, requireNonNull(canvas)))
                .onComplete(
                        request -> {
                            headers.copy(ctx.request(), RequestId.of(ctx), AccessLog.spanOf(ctx) != null, request);
                            NOT_THE_CANVAS.forEach(request.headers()::remove);
                            forward(ctx, request, requireNonNull(canvas));
                        },
                        away -> ctx.fail(new ApiError(ApiError.Kind.BAD_GATEWAY, "canvas unavailable")));
    }

    /** What would wait for a body that no handshake has, or for something that nobody here knows. A body behind it stays unread. */
    static boolean refuses(RoutingContext ctx) {
        var request = ctx.request();
        if (Upgrade.wanted(request) && Upgrade.hasBody(request)) {
            Connections.closeBehind(ctx);
            ctx.fail(ApiError.invalid("a WebSocket handshake has no body: send it without Content-Length"));
            return true;
        }
        String expected = request.getHeader(HttpHeaders.EXPECT);
        if (expected != null && !expected.equalsIgnoreCase(CONTINUE)) {
            Connections.closeBehind(ctx);
            ctx.fail(EXPECTATION_FAILED);
            return true;
        }
        return false;
    }

    /** Ends what would not end by itself; to be called before the server stops. */
    public void close() {
        longLived.end();
    }

    /** Nothing was sent to a replica that did not accept, so the next may be asked the same. */
    private void open(RoutingContext ctx, Replicas those, List<SocketAddress> addresses, int attempt) {
        var address = addresses.get(attempt);
        client.request(options(ctx, address)).onComplete(request -> send(ctx, request, address), refused -> {
            those.isDown(address);
            int following = attempt + 1;
            if (following < Math.min(addresses.size(), REPLICAS_TRIED_MAX)) {
                open(ctx, those, addresses, following);
            } else {
                ctx.fail(Passage.down());
            }
        });
    }

    private void send(RoutingContext ctx, HttpClientRequest request, SocketAddress owner) {
        headers.copy(ctx.request(), RequestId.of(ctx), AccessLog.spanOf(ctx) != null, request);
        forward(ctx, request, owner);
    }

    private static RequestOptions options(RoutingContext ctx, SocketAddress address) {
        return new RequestOptions()
                .setMethod(ctx.request().method())
                .setTraceOperation(AccessLog.operationOf(ctx))
                .setServer(address)
                .setFollowRedirects(false)
                .setURI(ctx.request().uri());
    }

    private void forward(RoutingContext ctx, HttpClientRequest request, SocketAddress owner) {
        if (Upgrade.wanted(ctx.request())) {
            Upgrade.tunnel(ctx, request, owner, longLived, pending, limits);
        } else {
            new Passage(ctx, request, owner, longLived, pending, limits).start();
        }
    }
}
