package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a subscriber what it missed, page by page from the log, each page after the last has left, until it has reached the
 * hub's position; in that same turn of the event loop it becomes live. What is kept no more is told as one GAP.
 */
final class Replay {

    private static final Logger LOGGER = LoggerFactory.getLogger(Replay.class);

    private static final int PAGE_MAX = 200;
    private static final long PAGE_SECONDS = 60;

    private final LogStore log;
    private final AgentLane agents;
    private final LongSupplier position;

    Replay(LogStore log, AgentLane agents, LongSupplier position) {
        this.log = log;
        this.agents = agents;
        this.position = position;
    }

    void run(Subscriber subscriber) {
        catchUp(subscriber).onFailure(failure -> {
            LOGGER.atDebug().setCause(failure).log("replay ended early");
            subscriber.close(failure instanceof TimeoutException ? Goodbye.TOO_SLOW : Goodbye.TRY_AGAIN);
        });
    }

    private Future<Void> catchUp(Subscriber subscriber) {
        long target = position.getAsLong();
        if (subscriber.closed() || subscriber.cursor() >= target) {
            subscriber.goLive();
            return Future.succeededFuture();
        }
        var workspace = subscriber.audience() instanceof Audience.OneWorkspace one ? one.id() : null;
        return log.after(subscriber.cursor(), PAGE_MAX, workspace)
                .compose(page -> log.prunedTo() // asked after reading: what was deleted meanwhile is told, too
                        .compose(pruned -> tellGap(subscriber, pruned))
                        .map(told -> page.stream()
                                .filter(logged -> seqOf(logged) > subscriber.cursor())
                                .toList())
                        .compose(rest -> send(subscriber, rest))
                        .timeout(PAGE_SECONDS, TimeUnit.SECONDS)
                        .compose(sent -> {
                            subscriber.reached(lastOf(page));
                            if (page.size() < PAGE_MAX) {
                                subscriber.reached(
                                        target); // the page held all there was, also when the last is not for it
                            }
                            return catchUp(subscriber);
                        }));
    }

    private Future<Void> send(Subscriber subscriber, List<LoggedEvent> page) {
        long readAtNanos = System.nanoTime();
        Future<Void> sent = Future.succeededFuture();
        for (var logged : page) {
            sent = sent.compose(before -> send(subscriber, new Frame(logged.event()), readAtNanos));
        }
        return sent;
    }

    private Future<Void> send(Subscriber subscriber, Frame frame, long readAtNanos) {
        if (!(subscriber.audience() instanceof Audience.Agent agent)) {
            return subscriber.replay(frame);
        }
        return agents.chartFor(frame.event(), readAtNanos)
                .compose(chart ->
                        agent.mayHear(frame.event(), chart) ? subscriber.replay(frame) : Future.succeededFuture());
    }

    /** Says that events behind the cursor are kept no more; replay goes on behind them. */
    private static Future<Void> tellGap(Subscriber subscriber, long pruned) {
        long cursor = subscriber.cursor();
        if (cursor >= pruned) {
            return Future.succeededFuture();
        }
        var payload = Json.object().put("from", cursor + 1).put("to", pruned);
        subscriber.reached(pruned);
        return subscriber.replay(new Frame(new Event(null, "GAP", null, Instant.now(), payload)));
    }

    private static long lastOf(List<LoggedEvent> page) {
        return page.isEmpty() ? 0 : seqOf(page.getLast());
    }

    private static long seqOf(LoggedEvent logged) {
        Long seq = logged.event().seq();
        return seq == null ? 0 : seq;
    }
}
