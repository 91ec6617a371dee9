package ai.molecule.events.sockets;

import ai.molecule.events.hub.CloseReason;
import ai.molecule.events.hub.Outlet;
import ai.molecule.events.hub.Parcel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.WebSocketFrameEncoder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * A subscriber's WebSocket. Events pass the pipeline below the frame encoder, because they are encoded already, once for all
 * sockets; everything else goes through Vert.x. A peer that does not answer the close frame is cut by Vert.x after ten seconds.
 */
final class SocketOutlet implements Outlet {

    private final ServerWebSocket socket;
    private final ChannelHandlerContext encoder;

    /** @param connection that of the request the socket came from; Vert.x-Web hands out the socket in a wrapper that hides it */
    SocketOutlet(ServerWebSocket socket, HttpConnection connection) {
        this.socket = socket;
        socket.setWriteQueueMaxSize(QUEUE_MAX_BYTES);
        this.encoder = ((ConnectionBase) connection).channel().pipeline().context(WebSocketFrameEncoder.class);
    }

    @Override
    public boolean full() {
        return !encoder.channel().isWritable();
    }

    @Override
    public Future<Void> write(Parcel parcel) {
        Promise<Void> written = Promise.promise();
        encoder.writeAndFlush(parcel.socketBytes()).addListener(done -> {
            if (done.isSuccess()) {
                written.complete();
            } else {
                written.fail(done.cause());
            }
        });
        return written.future();
    }

    @Override
    public Future<Void> close(CloseReason why) {
        return socket.close(why.code(), why.reason());
    }
}
