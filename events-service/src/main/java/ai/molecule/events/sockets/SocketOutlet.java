package ai.molecule.events.sockets;

import ai.molecule.events.hub.Frame;
import ai.molecule.events.hub.Goodbye;
import ai.molecule.events.hub.Outlet;
import io.vertx.core.Future;
import io.vertx.core.http.ServerWebSocket;

/** A subscriber's WebSocket. A peer that does not answer the close frame is cut by Vert.x after ten seconds. */
final class SocketOutlet implements Outlet {

    private final ServerWebSocket socket;

    SocketOutlet(ServerWebSocket socket) {
        this.socket = socket;
        socket.setWriteQueueMaxSize(QUEUE_MAX_BYTES);
    }

    @Override
    public boolean full() {
        return socket.writeQueueFull();
    }

    @Override
    public Future<Void> write(Frame frame) {
        return socket.writeTextMessage(frame.socketText());
    }

    @Override
    public Future<Void> close(Goodbye why) {
        return socket.close(why.code(), why.reason());
    }
}
