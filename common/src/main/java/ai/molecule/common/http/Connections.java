package ai.molecule.common.http;

import ai.molecule.common.config.ConnectionLimits;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Closes connections that ask for nothing: those without a whole request head in time, whether they send nothing or half of one, and
 * of one address the one that waits longest when there are too many; and those that go on sending a body behind its answer. A connection with a request under way, or that became a
 * WebSocket, is never closed here. To be used on one event loop.
 */
public final class Connections implements Handler<RoutingContext> {

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final long LOOK_MILLIS = 1_000;

    /** Twice what any route reads whole: whoever sends no more than that is answered in words. */
    private static final long REST_MAX_BYTES = 32L * 1024 * 1024;

    private static final Duration REST_MAX = Duration.ofSeconds(10);
    private static final long REST_LOOK_MILLIS = 50;

    private static final class Connection {
        private final HttpConnection connection;
        private final String address;
        private long sinceNanos = System.nanoTime();
        private boolean asked;
        private int underWay;

        Connection(HttpConnection connection) {
            this.connection = connection;
            var peer = connection.remoteAddress();
            this.address = peer == null ? "unknown" : peer.hostAddress();
        }
    }

    private final Vertx vertx;
    private final ConnectionLimits limits;
    private final Map<HttpConnection, Connection> open = new HashMap<>();

    /** Those that wait for their first request, and for another; each in the order in which they began to wait. */
    private final Set<Connection> fresh = new LinkedHashSet<>();

    private final Set<Connection> idle = new LinkedHashSet<>();
    private final Map<String, Set<Connection>> waitingByAddress = new HashMap<>();
    private boolean looking;

    public Connections(Vertx vertx, ConnectionLimits limits) {
        this.vertx = vertx;
        this.limits = limits;
    }

    /** To be told of every connection to the service. */
    public void opened(HttpConnection connection) {
        var one = new Connection(connection);
        open.put(connection, one);
        connection.closeHandler(closed -> {
            open.remove(connection);
            waitsNoLonger(one);
        });
        waits(one);
    }

    /** How many are open, whatever they do. */
    public int count() {
        return open.size();
    }

    @Override
    public void handle(RoutingContext ctx) {
        var answered = underWay(ctx.request());
        ctx.addEndHandler(ended -> answered.run());
        ctx.next();
    }

    /** A request under way; to be run when it was answered is what is returned. */
    public Runnable underWay(HttpServerRequest request) {
        var one = open.get(request.connection());
        if (one == null) {
            return () -> {};
        }
        one.asked = true;
        if (one.underWay++ == 0) {
            waitsNoLonger(one);
        }
        return () -> {
            boolean upgraded = request.response().getStatusCode() == SWITCHING_PROTOCOLS;
            if (!upgraded && --one.underWay == 0 && open.containsKey(one.connection)) {
                waits(one);
                bound(one, request);
            }
        };
    }

    /**
     * An answer may come before its request is whole. What is still sent then is thrown away, so that the client comes to read the answer,
     * but neither without end nor for long: it would be free of every limit.
     */
    private void bound(Connection one, HttpServerRequest request) {
        if (request.isEnded()) {
            return;
        }
        long endNanos = System.nanoTime() + REST_MAX.toNanos();
        long bytesMax = request.bytesRead() + REST_MAX_BYTES;
        vertx.setPeriodic(REST_LOOK_MILLIS, timer -> {
            if (request.isEnded() || !open.containsKey(one.connection)) {
                vertx.cancelTimer(timer);
            } else if (request.bytesRead() > bytesMax || System.nanoTime() - endNanos > 0) {
                vertx.cancelTimer(timer);
                close(one);
            }
        });
    }

    /**
     * For an answer behind which may be a body that nobody reads: its connection ends with it, and the answer says so. A client that is not
     * told sends its next request there, and never learns what became of that.
     */
    public static void closeBehind(RoutingContext ctx) {
        ctx.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        ctx.addEndHandler(answered -> ctx.request().connection().close());
    }

    /** Closes at once what the client does not read; an ordinary close, or a reset, would wait until it has read everything. */
    public static void cut(HttpConnection connection) {
        ((ConnectionBase) connection).channelHandlerContext().close();
    }

    private void waits(Connection one) {
        one.sinceNanos = System.nanoTime();
        (one.asked ? idle : fresh).add(one);
        var sameAddress = waitingByAddress.computeIfAbsent(one.address, unknown -> new LinkedHashSet<>());
        sameAddress.add(one);
        if (sameAddress.size() > limits.idleMax()) {
            close(sameAddress.iterator().next());
        }
        look();
    }

    private void waitsNoLonger(Connection one) {
        fresh.remove(one);
        idle.remove(one);
        var sameAddress = waitingByAddress.get(one.address);
        if (sameAddress != null && sameAddress.remove(one) && sameAddress.isEmpty()) {
            waitingByAddress.remove(one.address);
        }
    }

    private void close(Connection one) {
        waitsNoLonger(one);
        cut(one.connection);
    }

    private void look() {
        if (!looking) {
            looking = true;
            vertx.setTimer(LOOK_MILLIS, now -> {
                looking = false;
                closeLate(fresh, limits.first().toNanos());
                closeLate(idle, limits.idle().toNanos());
                if (!fresh.isEmpty() || !idle.isEmpty()) {
                    look();
                }
            });
        }
    }

    private void closeLate(Set<Connection> waiting, long maxNanos) {
        long now = System.nanoTime();
        while (!waiting.isEmpty()) {
            var longest = waiting.iterator().next();
            if (now - longest.sinceNanos < maxNanos) {
                return;
            }
            close(longest);
        }
    }
}
