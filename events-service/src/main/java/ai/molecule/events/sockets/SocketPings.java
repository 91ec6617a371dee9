package ai.molecule.events.sockets;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Pings every socket and reports those that stay silent. The pings of a period are spread over it, so that thousands of sockets do
 * not hold up the events between. To be used on one event loop.
 */
public final class SocketPings {

    /** How often a ping goes out. */
    public static final Duration PING_EVERY = Duration.ofSeconds(30);

    /** How long a ping may stay unanswered. */
    public static final Duration SILENCE_MAX = Duration.ofSeconds(60);

    /** Parts of a period. */
    private static final int STEPS = 100;

    private final long pingEveryNanos;
    private final long silenceMaxNanos;
    private final Map<ServerWebSocket, Watched> sockets = new HashMap<>();
    private final Deque<Watched> byDue = new ArrayDeque<>(); // who left stays in it until its turn

    private static final class Watched {
        private final ServerWebSocket socket;
        private final Runnable whenSilent;
        private long dueNanos;
        private boolean answered = true;
        private long unansweredSinceNanos;

        Watched(ServerWebSocket socket, Runnable whenSilent, long dueNanos) {
            this.socket = socket;
            this.whenSilent = whenSilent;
            this.dueNanos = dueNanos;
        }
    }

    public SocketPings(Vertx vertx, Duration pingEvery, Duration silenceMax) {
        this.pingEveryNanos = pingEvery.toNanos();
        this.silenceMaxNanos = silenceMax.toNanos();
        vertx.setPeriodic(Math.max(1, pingEvery.toMillis() / STEPS), timer -> beat(System.nanoTime()));
    }

    /** Watches the socket until {@link #forget}. */
    void watch(ServerWebSocket socket, Runnable whenSilent) {
        var watched = new Watched(socket, whenSilent, System.nanoTime() + pingEveryNanos);
        sockets.put(socket, watched);
        byDue.add(watched);
        socket.pongHandler(pong -> watched.answered = true);
    }

    void forget(ServerWebSocket socket) {
        sockets.remove(socket);
    }

    private void beat(long nowNanos) {
        for (var next = byDue.peek(); next != null && next.dueNanos - nowNanos <= 0; next = byDue.peek()) {
            byDue.poll();
            if (sockets.get(next.socket) == next) {
                ping(next, nowNanos);
                next.dueNanos = nowNanos + pingEveryNanos;
                byDue.add(next);
            }
        }
    }

    private void ping(Watched watched, long nowNanos) {
        if (watched.answered) {
            watched.answered = false;
            watched.unansweredSinceNanos = nowNanos;
        } else if (nowNanos - watched.unansweredSinceNanos >= silenceMaxNanos) {
            watched.whenSilent.run();
            return;
        }
        watched.socket.writePing(Buffer.buffer());
    }
}
