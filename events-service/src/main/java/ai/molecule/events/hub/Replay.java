package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.events.log.LogStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a subscriber what it missed, parcel by parcel, each after the last has left, until it has reached the hub's position; in
 * that same turn of the event loop it becomes live. What is kept no more is told as one GAP.
 */
final class Replay {

    private static final Logger LOGGER = LoggerFactory.getLogger(Replay.class);

    private static final long PARCEL_SECONDS = 60;

    /** A stream of one workspace that is further behind than this reads only its own rows, instead of sifting everybody's. */
    private static final long SIFTED_MAX = 4L * ReplayPages.SPAN;

    private final Vertx vertx;
    private final LogStore log;
    private final AgentDelivery agents;
    private final LongSupplier position;
    private final ReplayPages pages;

    Replay(Vertx vertx, LogStore log, AgentDelivery agents, LongSupplier position, Duration readMax) {
        this.vertx = vertx;
        this.log = log;
        this.agents = agents;
        this.position = position;
        this.pages = new ReplayPages(log, position, readMax);
    }

    void run(Subscriber subscriber) {
        long target = position.getAsLong();
        if (subscriber.closed() || subscriber.cursor() >= target) {
            subscriber.goLive();
            return;
        }
        pageFor(subscriber, target)
                .compose(page -> send(subscriber, page))
                // a turn for the others between two pages
                .onSuccess(sent -> vertx.runOnContext(turn -> run(subscriber)))
                .onFailure(failure -> {
                    LOGGER.atDebug().setCause(failure).log("replay ended early");
                    subscriber.close(
                            failure instanceof TimeoutException ? CloseReason.TOO_SLOW : CloseReason.TRY_AGAIN);
                });
    }

    private Future<ReplayPage> pageFor(Subscriber subscriber, long target) {
        long cursor = subscriber.cursor();
        if (!(subscriber.audience() instanceof Audience.OneWorkspace one) || target - cursor <= SIFTED_MAX) {
            return pages.following(cursor);
        }
        return log.after(cursor, ReplayPages.SPAN, one.id()).compose(rows -> {
            // fewer are all there was, also when the last position is not for it
            long upTo = rows.size() < ReplayPages.SPAN ? target : rows.getLast().seq();
            var frames = rows.stream().map(row -> new Frame(row.event())).toList();
            return log.prunedTo().map(pruned -> new ReplayPage(upTo, Parcel.pack(frames), pruned));
        });
    }

    private Future<Void> send(Subscriber subscriber, ReplayPage page) {
        long readAtNanos = System.nanoTime();
        return tellGap(subscriber, page.prunedTo())
                .compose(told -> InTurn.each(page.parcels(), parcel -> send(subscriber, parcel, readAtNanos)))
                .onSuccess(all -> subscriber.reached(page.upTo()))
                .mapEmpty();
    }

    private Future<Void> send(Subscriber subscriber, Parcel parcel, long readAtNanos) {
        if (parcel.lastSeq() <= subscriber.cursor()) {
            return Future.succeededFuture();
        }
        var missed = parcel.after(subscriber.cursor());
        return switch (subscriber.audience()) {
            case Audience.Everything everything -> replay(subscriber, missed);
            case Audience.OneWorkspace one -> {
                var own = missed.frames().stream()
                        .filter(frame -> one.id().equals(frame.event().workspaceId()))
                        .toList();
                yield own.isEmpty() ? Future.succeededFuture() : replay(subscriber, Parcel.of(own));
            }
            case Audience.Judged agent ->
                agents.chartFor(missed, readAtNanos).compose(chart -> {
                    var heard = AgentDelivery.heard(missed, agent, chart);
                    return heard == null ? Future.succeededFuture() : replay(subscriber, heard);
                });
        };
    }

    /** Says that events behind the cursor are kept no more; replay goes on behind them. */
    private static Future<Void> tellGap(Subscriber subscriber, long pruned) {
        long cursor = subscriber.cursor();
        if (cursor >= pruned) {
            return Future.succeededFuture();
        }
        var payload = Json.object().put("from", cursor + 1).put("to", pruned);
        subscriber.reached(pruned);
        var gap = new Event(null, "GAP", null, Instant.now(), payload);
        return replay(subscriber, Parcel.of(List.of(new Frame(gap))));
    }

    private static Future<Void> replay(Subscriber subscriber, Parcel parcel) {
        return subscriber.replay(parcel).timeout(PARCEL_SECONDS, TimeUnit.SECONDS);
    }
}
