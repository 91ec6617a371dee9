package ai.molecule.events.hub;

import ai.molecule.common.ApiError;
import ai.molecule.common.events.Event;
import ai.molecule.events.directory.OrgChartCache;
import ai.molecule.events.log.LogStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Offers every event to the subscribers it is for. To be used on one event loop. */
public final class Hub {

    /** Connections of one replica; beyond it new ones are refused with 503. */
    private static final int SUBSCRIBERS_MAX = 20_000;

    private final LogStore log;
    private final AgentLane agents;
    private final Replay replay;
    private final Set<Subscriber> subscribers = new LinkedHashSet<>();
    private long position;
    private boolean closing;

    public Hub(Vertx vertx, LogStore log, OrgChartCache charts) {
        this.log = log;
        this.agents = new AgentLane(vertx, charts);
        this.replay = new Replay(log, agents, () -> position);
    }

    /** The position of the last recorded event that was offered. */
    long position() {
        return position;
    }

    void startAt(long seq) {
        position = seq;
    }

    /** Offers the next event: recorded ones in the order of their positions, ephemeral ones as they come. */
    void publish(Event event) {
        var frame = new Frame(event);
        if (event.seq() != null) {
            position = event.seq();
        }
        // a copy: whoever is closed for being too slow leaves the set at once
        for (var subscriber : List.copyOf(subscribers)) {
            switch (subscriber.audience()) {
                case Audience.Everything everything -> subscriber.offer(frame);
                case Audience.OneWorkspace one -> {
                    if (one.id().equals(event.workspaceId())) {
                        subscriber.offer(frame);
                    }
                }
                case Audience.Agent agent -> {
                    // judged by the lane, when the org chart is known
                }
            }
        }
        agents.offer(frame);
    }

    /** Refuses, before the connection is upgraded, a position that the log has not reached, and a connection too many. */
    public Future<Void> admit(@Nullable Long since) {
        if (closing || subscribers.size() >= SUBSCRIBERS_MAX) {
            return Future.failedFuture(ApiError.unavailable("too many connections, try again later"));
        }
        if (since == null || since <= position) {
            return Future.succeededFuture();
        }
        return log.last()
                .compose(last -> since <= last
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.invalid("since is past the end of the event log")));
    }

    /**
     * Adds a connection: at once live, or from behind {@code since} on. {@link #leave} must follow when it ends, whoever ended it.
     */
    public Subscriber join(Audience audience, Outlet outlet, @Nullable Long since) {
        var subscriber = new Subscriber(audience, outlet, since == null ? position : since, since != null);
        subscribers.add(subscriber);
        if (audience instanceof Audience.Agent) {
            agents.add(subscriber);
        }
        if (since != null) {
            replay.run(subscriber);
        }
        if (closing) {
            subscriber.close(Goodbye.SHUTDOWN);
        }
        return subscriber;
    }

    public void leave(Subscriber subscriber) {
        subscriber.left();
        subscribers.remove(subscriber);
        agents.remove(subscriber);
    }

    public int size() {
        return subscribers.size();
    }

    /** Says goodbye to everybody; completes when the goodbyes are on their way. */
    public Future<?> close() {
        closing = true;
        List<Future<?>> goodbyes = new ArrayList<>();
        for (var subscriber : List.copyOf(subscribers)) {
            goodbyes.add(subscriber.close(Goodbye.SHUTDOWN));
        }
        return Future.join(goodbyes);
    }
}
