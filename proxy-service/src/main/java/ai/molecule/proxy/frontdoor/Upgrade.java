package ai.molecule.proxy.frontdoor;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** WebSockets: the owner answers the handshake, then a {@link Tunnel} carries what follows. */
final class Upgrade {

    private static final Logger LOGGER = LoggerFactory.getLogger(Upgrade.class);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(30);

    private Upgrade() {}

    static boolean wanted(HttpServerRequest request) {
        return HttpMethod.GET.equals(request.method())
                && "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
    }

    /** Of any length but 0. */
    static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null || length != null && !length.equals("0");
    }

    static void tunnel(
            RoutingContext ctx,
            HttpClientRequest request,
            SocketAddress owner,
            LongLivedConnections longLived,
            PendingRequests pending,
            FrontDoorLimits limits) {
        request.exceptionHandler(lost -> LOGGER.atDebug().setCause(lost).log("owner's connection lost"));
        pending.add(request, owner, true, HANDSHAKE_TIMEOUT);
        request.connect()
                .onComplete(done -> pending.remove(request))
                .onSuccess(answer -> {
                    if (answer.statusCode() == SWITCHING_PROTOCOLS) {
                        join(ctx, answer, longLived, limits);
                    } else {
                        refuse(ctx, request, answer);
                    }
                })
                .onFailure(down -> ctx.fail(Passage.down()));
    }

    private static void join(
            RoutingContext ctx, HttpClientResponse answer, LongLivedConnections longLived, FrontDoorLimits limits) {
        NetSocket owner = answer.netSocket();
        owner.pause(); // what it says at once must wait for the client's side
        var response = ctx.response().setStatusCode(SWITCHING_PROTOCOLS);
        ForwardedHeaders.copyBack(answer, response);
        response.putHeader("Connection", "Upgrade").putHeader("Upgrade", "websocket");
        socketOf(ctx)
                .onSuccess(client -> {
                    var tunnel = new Tunnel(ctx.vertx(), client, owner, limits);
                    Runnable ending = tunnel::leave;
                    longLived.add(ending);
                    client.closeHandler(closed -> {
                        longLived.remove(ending);
                        tunnel.closed();
                    });
                    tunnel.start();
                })
                .onFailure(gone -> {
                    LOGGER.atDebug().setCause(gone).log("client left during the handshake");
                    owner.close();
                });
    }

    /** Throws where the client has left already: its connection has no handshake any more. */
    private static Future<NetSocket> socketOf(RoutingContext ctx) {
        try {
            return ctx.request().toNetSocket();
        } catch (RuntimeException left) {
            return Future.failedFuture(left);
        }
    }

    private static void refuse(RoutingContext ctx, HttpClientRequest request, HttpClientResponse answer) {
        if (ctx.response().closed()) {
            request.reset();
            return;
        }
        ctx.addEndHandler(ended -> {
            if (ended.failed()) {
                request.reset(); // the client left
            }
        });
        ctx.request().resume();
        var response = ctx.response().setStatusCode(answer.statusCode());
        ForwardedHeaders.copyBack(answer, response);
        response.setChunked(answer.getHeader("Content-Length") == null);
        Passage.pass(ctx, answer, () -> {});
    }
}
