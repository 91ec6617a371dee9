package ai.molecule.common.testing;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The way to a server: whole, cut, silent or slow. Cut, connections end and no new one comes about, as when a server dies. Silent,
 * whatever is sent vanishes and no connection ends, as when a host is gone or a firewall drops its packets: new connections come
 * about too, and nobody answers on them. Slow, everything takes a while. Nothing that vanished comes back when the way is whole again.
 */
public final class Cable {

    private final Vertx vertx;
    private final NetServer end;
    private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;
    private volatile boolean silent;
    private volatile Duration delay = Duration.ZERO;

    public Cable(Vertx vertx, URI server) {
        this.vertx = vertx;
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
                        carry(near, far);
                        carry(far, near);
                        near.resume();
                    })
                    .onFailure(refused -> near.close());
        });
        end.listen(0, "127.0.0.1").await();
    }

    public int port() {
        return end.actualPort();
    }

    public void cut() {
        cut = true;
        sockets.forEach(NetSocket::close);
        sockets.clear();
    }

    public void silence() {
        silent = true;
    }

    /** @param each how long each piece of what is sent takes, there and back, one after the other */
    public void slow(Duration each) {
        delay = each;
    }

    /** Whole again; what fell silent on a connection leaves it useless, for half a statement may be missing. */
    public void join() {
        cut = false;
        silent = false;
        delay = Duration.ZERO;
    }

    private void carry(NetSocket from, NetSocket to) {
        var sent = new AtomicReference<>(Future.<Void>succeededFuture());
        from.handler(bytes -> {
            if (!silent) {
                sent.updateAndGet(before -> before.compose(done -> pass(bytes, to)));
            }
        });
        from.closeHandler(closed -> {
            sockets.remove(from);
            sent.get().onComplete(done -> to.close());
        });
    }

    private Future<Void> pass(Buffer bytes, NetSocket to) {
        long millis = delay.toMillis();
        return millis == 0 ? to.write(bytes) : vertx.timer(millis).compose(due -> to.write(bytes));
    }
}
