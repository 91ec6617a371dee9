package ai.molecule.events.sockets;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Cors;
import ai.molecule.common.http.Edge;
import ai.molecule.common.json.Json;
import ai.molecule.events.hub.Audience;
import ai.molecule.events.hub.CloseReason;
import ai.molecule.events.hub.Hub;
import ai.molecule.events.hub.SubscriberLimits;
import ai.molecule.events.hub.TokenWatch;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code GET /ws} and {@code POST /ws/ticket}. */
public final class SocketRoutes {

    private final SocketGate gate;
    private final TicketService tickets;
    private final Hub hub;
    private final SubscriberLimits limits;
    private final SocketPings pulse;
    private final TokenWatch tokens;
    private final PlatformConfig config;
    private final Edge edge;

    public SocketRoutes(
            SocketGate gate,
            TicketService tickets,
            Hub hub,
            SubscriberLimits limits,
            SocketPings pulse,
            TokenWatch tokens,
            PlatformConfig config) {
        this.gate = gate;
        this.tickets = tickets;
        this.hub = hub;
        this.limits = limits;
        this.pulse = pulse;
        this.tokens = tokens;
        this.config = config;
        this.edge = new Edge(config);
    }

    /** The upgrade, once the client may have it; every refusal is an ordinary JSON answer before it. */
    public void connect(RoutingContext ctx) {
        var asked = SocketRequest.of(ctx.request());
        ctx.request().pause(); // the handshake must not be read past while the token is checked
        gate.admit(asked, originPermitted(ctx.request()))
                .compose(admitted -> upgrade(ctx, admitted, asked))
                .onFailure(ctx::fail);
    }

    private Future<?> upgrade(RoutingContext ctx, SocketGate.Admitted admitted, SocketRequest asked) {
        var place = limits.take(edge.networkOf(ctx.request()), admitted.credential());
        return hub.admit(asked.since())
                .compose(room -> ctx.request().toWebSocket())
                .onFailure(refused -> place.run())
                .onSuccess(socket -> {
                    join(
                            admitted,
                            socket,
                            new SocketOutlet(socket, ctx.request().connection()),
                            asked.since(),
                            place);
                    release(ctx.request(), ctx.response());
                });
    }

    /** Vert.x keeps the request as long as the socket: its headers and what hangs on its answer are 2 kB that nobody needs any more. */
    private static void release(HttpServerRequest asked, HttpServerResponse upgraded) {
        asked.headers().clear();
        upgraded.endHandler(null)
                .closeHandler(null)
                .exceptionHandler(null)
                .headers()
                .clear();
    }

    /** {@code {"ticket", "expires_in"}}: lets one canvas socket in within so many seconds. */
    public void ticket(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        Answers.json(
                ctx,
                tickets.issue(Bearer.of(ctx.request()))
                        .map(ticket ->
                                Json.object().put("ticket", ticket).put("expires_in", TicketService.AGE.toSeconds())));
    }

    private boolean originPermitted(HttpServerRequest request) {
        String origin = request.getHeader("Origin");
        return origin == null
                || origin.equals(edge.originOf(request))
                || Cors.allowedOrigins(config).contains(origin);
    }

    private void join(
            SocketGate.Admitted admitted,
            ServerWebSocket socket,
            SocketOutlet outlet,
            @Nullable Long since,
            Runnable place) {
        socket.exceptionHandler(broken -> {});
        var subscriber = hub.join(admitted.audience(), outlet, since);
        if (admitted.audience() instanceof Audience.Everything) {
            socket.textMessageHandler(new AskedViews(hub, subscriber)::heard);
        } else {
            socket.handler(inbound -> {}); // read, so that a closed connection is noticed, and dropped
        }
        pulse.watch(socket, () -> subscriber.close(CloseReason.SILENT));
        var again = admitted.again();
        if (again != null) {
            tokens.watch(subscriber, admitted.workspaceId(), again);
        }
        socket.closeHandler(closed -> {
            place.run();
            pulse.forget(socket);
            tokens.forget(subscriber);
            hub.leave(subscriber);
        });
    }
}
