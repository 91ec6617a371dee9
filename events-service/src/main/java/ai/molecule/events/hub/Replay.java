package ai.molecule.events.hub;

import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a subscriber what it missed, page by page from the log, each page after the last has left, until it has reached the
 * hub's position; in that same turn of the event loop it becomes live.
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
                .compose(page -> send(subscriber, page)
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

    private static long lastOf(List<LoggedEvent> page) {
        Long seq = page.isEmpty() ? null : page.getLast().event().seq();
        return seq == null ? 0 : seq;
    }
}
