package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Lets request bodies in while there is memory for them, whoever sends them and however slowly: all that arrive at once may
 * take a sixteenth of the heap, those of up to 64 KiB another, so that large ones do not hold up heartbeats. A body counts with what
 * its head says, without a length with all that its route allows. Whoever finds no room waits unread in turn. A body that is not
 * there in time is 408, one that waited so long or finds too many waiting 503, and its connection is closed. To be used on one
 * event loop.
 */
final class BodyRoom {

    private static final Duration ARRIVAL_MAX = Duration.ofSeconds(30);

    /** Beyond that: a megabit a second is no attack. */
    private static final long BYTES_PER_SECOND = 128 * 1024;

    private static final int SMALL_MAX_BYTES = 64 * 1024;
    private static final int WAITING_MAX = 1_000;
    private static final long LANE_MIN_BYTES = 32L * 1024 * 1024;
    private static final int LANE_PART_OF_HEAP = 16;

    private static final String KEY = BodyRoom.class.getName();
    private static final long LOOK_MILLIS = 1_000;

    private static final class Lane {
        private final long size;
        private final Queue<Arrival> waiting = new ArrayDeque<>();
        private long taken;

        Lane(long size) {
            this.size = size;
        }

        boolean has(long bytes) {
            return taken + bytes <= size;
        }
    }

    /** A body that is not whole yet. */
    private record Arrival(RoutingContext ctx, Lane lane, long bytes, Runnable read, long sinceNanos, long maxNanos) {

        boolean late(long nowNanos) {
            return nowNanos - sinceNanos >= maxNanos;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private final Vertx vertx;
    private final long arrivalMaxNanos;
    private final Lane small;
    private final Lane large;

    /** In the order they came, waiting ones included. */
    private final Set<Arrival> arriving = new LinkedHashSet<>();

    private boolean looking;

    BodyRoom(Vertx vertx) {
        this(vertx, Math.max(LANE_MIN_BYTES, Runtime.getRuntime().maxMemory() / LANE_PART_OF_HEAP), ARRIVAL_MAX);
    }

    BodyRoom(Vertx vertx, long laneBytes, Duration arrivalMax) {
        this.vertx = vertx;
        this.arrivalMaxNanos = arrivalMax.toNanos();
        this.small = new Lane(laneBytes);
        this.large = new Lane(laneBytes);
    }

    /** Calls {@code read}, now or when there is room; never when the client leaves or is refused before. */
    void enter(RoutingContext ctx, long bodyMaxBytes, Runnable read) {
        long bytes = bytesOf(ctx.request(), bodyMaxBytes);
        if (bytes == 0) {
            read.run();
            return;
        }
        var lane = bytes <= SMALL_MAX_BYTES ? small : large;
        long maxNanos = arrivalMaxNanos + TimeUnit.SECONDS.toNanos(bytes / BYTES_PER_SECOND);
        var arrival = new Arrival(ctx, lane, Math.min(bytes, lane.size), read, System.nanoTime(), maxNanos);
        boolean free = lane.waiting.isEmpty() && lane.has(arrival.bytes);
        if (!free && lane.waiting.size() >= WAITING_MAX) {
            refuse(ctx);
            return;
        }
        ctx.put(KEY, arrival);
        arriving.add(arrival);
        ctx.addEndHandler(ended -> leave(ctx));
        look();
        if (free) {
            lane.taken += arrival.bytes;
            read.run();
        } else {
            ctx.request().pause();
            lane.waiting.add(arrival);
        }
    }

    /** The body is whole, or will never be. May be called again. */
    void leave(RoutingContext ctx) {
        Arrival arrival = ctx.remove(KEY);
        if (arrival == null) {
            return;
        }
        arriving.remove(arrival);
        if (arrival.lane.waiting.remove(arrival)) {
            return;
        }
        arrival.lane.taken -= arrival.bytes;
        for (var next = arrival.lane.waiting.peek();
                next != null && next.lane.has(next.bytes);
                next = next.lane.waiting.peek()) {
            next.lane.waiting.remove();
            next.lane.taken += next.bytes;
            next.ctx.request().resume();
            next.read.run();
        }
    }

    /** How many bodies are on their way or wait. */
    int arriving() {
        return arriving.size();
    }

    private void look() {
        if (!looking) {
            looking = true;
            vertx.setTimer(LOOK_MILLIS, now -> {
                looking = false;
                refuseLate();
                if (!arriving.isEmpty()) {
                    look();
                }
            });
        }
    }

    private void refuseLate() {
        long now = System.nanoTime();
        var late = arriving.stream().filter(arrival -> arrival.late(now)).toList();
        for (var arrival : late) {
            boolean waited = arrival.lane.waiting.contains(arrival);
            if (waited) {
                refuse(arrival.ctx);
            } else {
                end(arrival.ctx);
                arrival.ctx.fail(408);
            }
            leave(arrival.ctx);
        }
    }

    private static void refuse(RoutingContext ctx) {
        end(ctx);
        ctx.fail(new ApiError(
                ApiError.Kind.UNAVAILABLE, "too many requests are arriving — retry shortly", Map.of("retry_after", 2)));
    }

    /** What follows on this connection is the rest of a body that nobody reads. */
    private static void end(RoutingContext ctx) {
        ctx.addEndHandler(answered -> ctx.request().connection().close());
    }

    private static long bytesOf(HttpServerRequest request, long bodyMaxBytes) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length == null) {
            boolean none =
                    request.version() != HttpVersion.HTTP_2 && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null;
            return none ? 0 : bodyMaxBytes;
        }
        try {
            return Math.min(Long.parseLong(length), bodyMaxBytes);
        } catch (NumberFormatException noNumber) {
            return bodyMaxBytes;
        }
    }
}
