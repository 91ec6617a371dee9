package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Lets request bodies in while there is memory for them, whoever sends them and however slowly: all that arrive at once may
 * take a sixteenth of the heap, those of up to 64 KiB another, so that large ones do not hold up heartbeats. A body counts with what
 * its head says, without a length with all that its route allows. Of each the bodies of one address, and of one workspace, take a
 * quarter at most, or one body. Whoever finds no room waits unread in turn. A body that is not there in time is 408, one that waited
 * so long or finds too many waiting 503, one that finds too many of its own waiting 429, and its connection is closed. To be used on
 * one event loop.
 */
final class BodyBudget {

    private static final Duration ARRIVAL_MAX = Duration.ofSeconds(30);

    /** Beyond that: a megabit a second is no attack. */
    private static final long BYTES_PER_SECOND = 128 * 1024;

    private static final int SMALL_MAX_BYTES = 64 * 1024;
    private static final int WAITING_MAX = 1_000;

    /** What one address, or one workspace, may have of a lane and of its waiting places. */
    private static final int SHARE = 4;

    private static final long LANE_MIN_BYTES = 32L * 1024 * 1024;
    private static final int LANE_PART_OF_HEAP = 16;

    private static final String KEY = BodyBudget.class.getName();
    private static final long LOOK_MILLIS = 1_000;

    private static final class Lane {
        private final long size;
        private final Set<Arrival> waiting = new LinkedHashSet<>();
        private final Map<String, Long> takenBy = new HashMap<>();
        private long taken;

        Lane(long size) {
            this.size = size;
        }

        boolean has(Arrival arrival) {
            return taken + arrival.bytes <= size;
        }

        /** A body larger than a share is let in when its sender has no other. */
        boolean leavesShareFor(Arrival arrival) {
            for (String sender : arrival.senders) {
                long already = takenBy.getOrDefault(sender, 0L);
                if (already > 0 && already + arrival.bytes > size / SHARE) {
                    return false;
                }
            }
            return true;
        }

        /** Nobody who waits for room, and not for a share, is overtaken. */
        boolean isFreeFor(Arrival arrival) {
            return has(arrival)
                    && leavesShareFor(arrival)
                    && (waiting.isEmpty() || waiting.stream().noneMatch(this::leavesShareFor));
        }

        void take(Arrival arrival) {
            taken += arrival.bytes;
            arrival.senders.forEach(sender -> takenBy.merge(sender, arrival.bytes, Long::sum));
        }

        void giveBack(Arrival arrival) {
            taken -= arrival.bytes;
            for (String sender : arrival.senders) {
                takenBy.computeIfPresent(
                        sender, (same, bytes) -> bytes == arrival.bytes ? null : bytes - arrival.bytes);
            }
        }

        /** Those who may come in now, taken in. */
        List<Arrival> next() {
            List<Arrival> next = new ArrayList<>();
            for (var each = waiting.iterator(); each.hasNext(); ) {
                var arrival = each.next();
                if (leavesShareFor(arrival)) {
                    if (!has(arrival)) {
                        break;
                    }
                    each.remove();
                    take(arrival);
                    next.add(arrival);
                }
            }
            return next;
        }

        boolean isCrowdedBy(Arrival arrival) {
            return waiting.size() >= WAITING_MAX / SHARE
                    && waiting.stream()
                                    .filter(one -> !Collections.disjoint(one.senders, arrival.senders))
                                    .count()
                            >= WAITING_MAX / SHARE;
        }
    }

    /**
     * A body that is not whole yet.
     *
     * @param senders whose share it takes: an address, and where the guard knows one a workspace
     */
    private record Arrival(
            RoutingContext ctx,
            Lane lane,
            List<String> senders,
            long bytes,
            Runnable read,
            long sinceNanos,
            long maxNanos) {

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
    private final Edge edge;
    private final long arrivalMaxNanos;
    private final Lane small;
    private final Lane large;

    /** In the order they came, waiting ones included. */
    private final Set<Arrival> arriving = new LinkedHashSet<>();

    private boolean looking;

    BodyBudget(Vertx vertx, Edge edge) {
        this(vertx, edge, Math.max(LANE_MIN_BYTES, Runtime.getRuntime().maxMemory() / LANE_PART_OF_HEAP), ARRIVAL_MAX);
    }

    BodyBudget(Vertx vertx, Edge edge, long laneBytes, Duration arrivalMax) {
        this.vertx = vertx;
        this.edge = edge;
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
        var arrival =
                new Arrival(ctx, lane, sendersOf(ctx), Math.min(bytes, lane.size), read, System.nanoTime(), maxNanos);
        boolean free = lane.isFreeFor(arrival);
        if (!free && lane.isCrowdedBy(arrival)) {
            refuse(ctx, ApiError.Kind.RATE_LIMITED, "too many of your requests are arriving — retry shortly");
            return;
        }
        if (!free && lane.waiting.size() >= WAITING_MAX) {
            refuse(ctx);
            return;
        }
        ctx.put(KEY, arrival);
        arriving.add(arrival);
        ctx.addEndHandler(ended -> leave(ctx));
        look();
        if (free) {
            lane.take(arrival);
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
        if (!arrival.lane.waiting.remove(arrival)) {
            arrival.lane.giveBack(arrival);
        }
        for (var next : arrival.lane.next()) {
            next.ctx.request().resume();
            next.read.run();
        }
    }

    private List<String> sendersOf(RoutingContext ctx) {
        String network = edge.networkOf(ctx.request());
        var workspace = Caller.of(ctx).workspaceId();
        return workspace == null ? List.of(network) : List.of(network, workspace.toString());
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
                Connections.closeBehind(arrival.ctx);
                arrival.ctx.fail(408);
            }
            leave(arrival.ctx);
        }
    }

    private static void refuse(RoutingContext ctx) {
        refuse(ctx, ApiError.Kind.UNAVAILABLE, "too many requests are arriving — retry shortly");
    }

    private static void refuse(RoutingContext ctx, ApiError.Kind kind, String why) {
        Connections.closeBehind(ctx);
        ctx.fail(new ApiError(kind, why, Map.of("retry_after", 2)));
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
