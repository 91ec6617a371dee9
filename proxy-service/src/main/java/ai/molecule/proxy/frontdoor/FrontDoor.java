package ai.molecule.proxy.frontdoor;

import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

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

    private final HttpClient client;
    private final Owners owners;
    private final ForwardedHeaders headers;

    public FrontDoor(Vertx vertx, PlatformConfig config, Owners owners) {
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) CONNECT_TIMEOUT.toMillis())
                        .setDecompressionSupported(false),
                new PoolOptions().setHttp1MaxSize(CONNECTIONS_MAX).setMaxWaitQueueSize(WAITING_MAX));
        this.owners = owners;
        this.headers = new ForwardedHeaders(config, new Edge(config));
    }

    @Override
    public void handle(RoutingContext ctx) {
        RoutingTable.rowOf(ctx.normalizedPath())
                .filter(row -> row.owner() != Owner.PROXY)
                .ifPresentOrElse(row -> pass(ctx, row), ctx::next);
    }

    private void pass(RoutingContext ctx, RoutingTable.Row row) {
        AccessLog.routeIs(ctx, row.pattern());
        ctx.request().pause(); // until there is somebody to read it
        open(ctx, row.owner())
                .onSuccess(request -> {
                    headers.copy(ctx.request(), RequestId.of(ctx), request);
                    if (Upgrade.wanted(ctx.request())) {
                        Upgrade.tunnel(ctx, request);
                    } else {
                        new Passage(ctx, request).start();
                    }
                })
                .onFailure(down -> ctx.fail(Passage.down()));
    }

    private Future<HttpClientRequest> open(RoutingContext ctx, Owner owner) {
        var address = owners.addressOf(owner);
        int port = address.getPort() > 0 ? address.getPort() : 80;
        return client.request(new RequestOptions()
                .setMethod(ctx.request().method())
                .setServer(SocketAddress.inetSocketAddress(port, address.getHost()))
                .setFollowRedirects(false)
                .setURI(ctx.request().uri()));
    }
}
