package ai.molecule.events.hub;

import ai.molecule.common.ApiError;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Offers every event to the subscribers it is for, in parcels that all of them share. To be used on one event loop. */
public final class Hub {

    /** The most connections of one replica; further ones are refused with 503. */
    private static final int SUBSCRIBERS_MAX = 20_000;

    /** PostgreSQL itself ends a statement after ten seconds; one whose answer was lost on the way is given up a little later. */
    static final Duration READ_MAX = Duration.ofSeconds(12);

    private static final SubscriberSet NOBODY = new SubscriberSet();

    private final Vertx vertx;
    private final LogStore log;
    private final AgentDelivery agents;
    private final Replay replay;
    private final SubscriberSet all = new SubscriberSet();
    private final SubscriberSet canvases = new SubscriberSet();
    private final Viewers viewers;
    private final Map<UUID, SubscriberSet> streams = new HashMap<>();
    private List<Frame> arrived = new ArrayList<>();
    private long position;
    private boolean closing;

    /** @param report of the delivery to agents */
    public Hub(Vertx vertx, LogStore log, OrgChartCache charts, RunReport report) {
        this(vertx, log, charts, report, READ_MAX);
    }

    /** @param readMax how long a read of the log may take */
    Hub(Vertx vertx, LogStore log, OrgChartCache charts, RunReport report, Duration readMax) {
        this.vertx = vertx;
        this.log = log;
        this.agents = new AgentDelivery(vertx, charts, report);
        this.viewers = new Viewers(vertx, () -> position);
        this.replay = new Replay(vertx, log, agents, () -> position, readMax);
    }

    /** The position of the last recorded event that was offered. */
    long position() {
        return position;
    }

    void startAt(long seq) {
        position = seq;
        agents.start();
    }

    /** Offers recorded events, which follow the last ones in the order of their positions. */
    void publish(List<LoggedEvent> page) {
        if (all.isEmpty()) {
            position = page.isEmpty() ? position : page.getLast().seq();
            return;
        }
        var frames = page.stream().map(logged -> new Frame(logged.event())).toList();
        for (var parcel : Parcel.pack(frames)) {
            position = parcel.lastSeq();
            offer(parcel);
        }
    }

    /** Offers an ephemeral event, together with those that have arrived by the next turn of the event loop. */
    void publish(Event ephemeral) {
        if (all.isEmpty()) {
            return; // nobody to encode it for
        }
        arrived.add(new Frame(ephemeral));
        if (arrived.size() == 1) {
            vertx.runOnContext(turn -> {
                var frames = arrived;
                arrived = new ArrayList<>();
                Parcel.pack(frames).forEach(this::offer);
            });
        }
    }

    private void offer(Parcel parcel) {
        canvases.forEach(canvas -> canvas.offer(parcel));
        viewers.offer(parcel);
        if (!streams.isEmpty()) {
            offerToStreams(parcel);
        }
        agents.offer(parcel); // judged when the org chart is known
        parcel.release();
    }

    private void offerToStreams(Parcel parcel) {
        Map<UUID, List<Frame>> byWorkspace = new LinkedHashMap<>();
        for (var frame : parcel.frames()) {
            var workspaceId = frame.event().workspaceId();
            if (workspaceId != null && streams.containsKey(workspaceId)) {
                byWorkspace
                        .computeIfAbsent(workspaceId, id -> new ArrayList<>())
                        .add(frame);
            }
        }
        byWorkspace.forEach((workspaceId, frames) -> {
            var part = Parcel.of(frames);
            streams.getOrDefault(workspaceId, NOBODY).forEach(stream -> stream.offer(part));
        });
    }

    /** To be called before a connection is upgraded: refuses a position that the log has not reached, and a connection too many. */
    public Future<Void> admit(@Nullable Long since) {
        if (closing || all.size() >= SUBSCRIBERS_MAX) {
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

    /** Adds a connection: at once live, or from behind {@code since} on. {@link #leave} must follow when it ends, whoever ended it. */
    public Subscriber join(Audience audience, Outlet outlet, @Nullable Long since) {
        var subscriber = new Subscriber(audience, outlet, since == null ? position : since, since != null);
        all.add(subscriber);
        switch (audience) {
            case Audience.Everything everything -> canvases.add(subscriber);
            case Audience.OneWorkspace one ->
                streams.computeIfAbsent(one.id(), id -> new SubscriberSet()).add(subscriber);
            case Audience.Judged judged -> agents.add(subscriber);
        }
        if (since != null) {
            replay.run(subscriber);
        }
        if (closing) {
            subscriber.close(CloseReason.SHUTDOWN);
        }
        return subscriber;
    }

    /**
     * What a subscriber that hears everything looks at from now on; it is told that this was heard.
     *
     * @param view null for everything again
     */
    public void look(Subscriber subscriber, @Nullable View view) {
        if (subscriber.closed() || !(subscriber.audience() instanceof Audience.Everything)) {
            return;
        }
        var told = Json.object();
        if (view == null) {
            viewers.leave(subscriber);
            canvases.add(subscriber);
        } else {
            canvases.remove(subscriber);
            viewers.look(subscriber, view);
            told.put("workspaces", view.workspaces().size())
                    .put("every", view.every().toMillis());
        }
        answer(subscriber, told);
    }

    /** What it asked to look at was refused, and why: it looks at what it did. */
    public void refuseView(Subscriber subscriber, String why) {
        answer(subscriber, Json.object().put("error", why));
    }

    private static void answer(Subscriber subscriber, ObjectNode told) {
        var answer = new Event(null, "VIEW", null, Instant.now(), told);
        subscriber.offer(Parcel.of(List.of(new Frame(answer))));
    }

    public void leave(Subscriber subscriber) {
        subscriber.left();
        all.remove(subscriber);
        switch (subscriber.audience()) {
            case Audience.Everything everything -> {
                canvases.remove(subscriber);
                viewers.leave(subscriber);
            }
            case Audience.OneWorkspace one ->
                streams.computeIfPresent(one.id(), (id, crowd) -> {
                    crowd.remove(subscriber);
                    return crowd.isEmpty() ? null : crowd;
                });
            case Audience.Judged judged -> agents.remove(subscriber);
        }
    }

    public int size() {
        return all.size();
    }

    /** Says goodbye to everybody; completes when the goodbyes are on their way. */
    public Future<?> close() {
        closing = true;
        agents.stop();
        List<Future<?>> goodbyes = new ArrayList<>();
        all.forEach(subscriber -> goodbyes.add(subscriber.close(CloseReason.SHUTDOWN)));
        return Future.join(goodbyes);
    }
}
