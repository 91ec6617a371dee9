package ai.molecule.registry;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The way to a server, which can be cut and joined again. */
final class Cable {

    private final NetServer end;
    private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    Cable(Vertx vertx, URI server) {
        var client = vertx.createNetClient();
        end = vertx.createNetServer().connectHandler(near -> {
            if (cut) {
                near.close();
                return;
            }
            sockets.add(near);
            near.pause();
            client.connect(server.getPort(), server.getHost())
                    .onSuccess(far -> {
                        near.pipeTo(far);
                        far.pipeTo(near);
                    })
                    .onFailure(refused -> near.close());
        });
        end.listen(0, "127.0.0.1").await();
    }

    int port() {
        return end.actualPort();
    }

    void cut() {
        cut = true;
        sockets.forEach(NetSocket::close);
        sockets.clear();
    }

    void join() {
        cut = false;
    }
}
