package ai.molecule.events.sockets;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Pings every socket and reports those that stay silent. To be used on one event loop. */
public final class Pulse {

    /** How often a ping goes out. */
    public static final Duration PING_EVERY = Duration.ofSeconds(30);

    /** How long a ping may stay unanswered. */
    public static final Duration SILENCE_MAX = Duration.ofSeconds(60);

    private final Duration silenceMax;
    private final Map<ServerWebSocket, Runnable> watched = new HashMap<>();
    private final Map<ServerWebSocket, Long> unansweredSinceNanos = new HashMap<>();

    public Pulse(Vertx vertx, Duration pingEvery, Duration silenceMax) {
        this.silenceMax = silenceMax;
        vertx.setPeriodic(pingEvery.toMillis(), timer -> beat(System.nanoTime()));
    }

    /** Watches the socket until {@link #forget}. */
    void watch(ServerWebSocket socket, Runnable whenSilent) {
        watched.put(socket, whenSilent);
        socket.pongHandler(pong -> unansweredSinceNanos.remove(socket));
    }

    void forget(ServerWebSocket socket) {
        watched.remove(socket);
        unansweredSinceNanos.remove(socket);
    }

    private void beat(long nowNanos) {
        Map.copyOf(watched).forEach((socket, whenSilent) -> {
            Long since = unansweredSinceNanos.putIfAbsent(socket, nowNanos);
            if (since != null && nowNanos - since >= silenceMax.toNanos()) {
                whenSilent.run();
            } else {
                socket.writePing(Buffer.buffer());
            }
        });
    }
}
