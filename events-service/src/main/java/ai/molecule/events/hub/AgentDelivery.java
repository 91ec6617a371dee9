package ai.molecule.events.hub;

import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivery to agents and to people of branches, which needs the org chart. Events wait in order while the chart is being asked for; when the registry is
 * away for so long that too many wait, the agents are sent away to come back with their position, rather than skip one.
 */
final class AgentDelivery {

    private static final Logger LOGGER = LoggerFactory.getLogger(AgentDelivery.class);

    private static final int WAITING_MAX = 10_000;

    /** Of encoded events; in the heap they take about three times that. */
    private static final long WAITING_MAX_BYTES = 32L << 20;

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofMillis(500), Duration.ofSeconds(5));

    private final OrgChartCache charts;
    private final Loop loop;
    private final SubscriberSet agents = new SubscriberSet();

    /** The same by the workspace that they are of, so that an event is offered near the one that it is of and not to all. */
    private final Map<UUID, SubscriberSet> byWorkspace = new HashMap<>();

    /** Those of them that are people of branches. */
    private final SubscriberSet people = new SubscriberSet();

    private final Deque<Parcel> waiting = new ArrayDeque<>();
    private int waitingEvents;
    private long waitingBytes;

    AgentDelivery(Vertx vertx, OrgChartCache charts, RunReport report) {
        this.charts = charts;
        this.loop = new Loop(vertx, report, "the registry", TIMES, this::deliver);
    }

    /** Tries again from now on what could not be delivered. */
    void start() {
        loop.start();
    }

    void stop() {
        loop.stop();
    }

    void add(Subscriber agent) {
        agents.add(agent);
        if (agent.audience() instanceof Audience.Agent one) {
            byWorkspace.computeIfAbsent(one.id(), id -> new SubscriberSet()).add(agent);
        } else {
            people.add(agent);
        }
    }

    void remove(Subscriber agent) {
        agents.remove(agent);
        people.remove(agent);
        if (agent.audience() instanceof Audience.Agent one) {
            byWorkspace.computeIfPresent(one.id(), (id, sockets) -> {
                sockets.remove(agent);
                return sockets.isEmpty() ? null : sockets;
            });
        }
    }

    void offer(Parcel parcel) {
        if (agents.isEmpty()) {
            forgetWaiting();
            return;
        }
        if (waitingEvents >= WAITING_MAX || waitingBytes >= WAITING_MAX_BYTES) {
            LOGGER.atWarn()
                    .addKeyValue("agents", agents.size())
                    .log("org chart missing for too long, agents sent away");
            forgetWaiting();
            agents.forEach(agent -> agent.close(CloseReason.TRY_AGAIN));
            return;
        }
        waiting.add(parcel.hold());
        waitingEvents += parcel.frames().size();
        waitingBytes += parcel.socketSize();
        loop.poke();
    }

    /** The org chart that decides who hears an event: read anew when an event names a workspace that the kept chart does not know. */
    Future<OrgChart> chartFor(Parcel parcel, long arrivedAtNanos) {
        return charts.current().compose(chart -> {
            boolean stale = chart.askedAtNanos() - arrivedAtNanos < 0
                    && parcel.frames().stream()
                            .map(frame -> frame.event().workspaceId())
                            .anyMatch(workspaceId -> workspaceId != null
                                    && chart.find(workspaceId).isEmpty());
            return stale ? charts.askedAfter(arrivedAtNanos) : Future.succeededFuture(chart);
        });
    }

    /** The part of the parcel that the agent may hear, for it alone; null for nothing. */
    static @Nullable Parcel heard(Parcel parcel, Audience.Judged agent, OrgChart chart) {
        return heard(parcel, agent, chart, Parcel::of);
    }

    private static @Nullable Parcel heard(
            Parcel parcel, Audience.Judged agent, OrgChart chart, Function<List<Frame>, Parcel> partOf) {
        List<Frame> allowed = new ArrayList<>();
        for (var frame : parcel.frames()) {
            var heard = agent.heard(frame, chart);
            if (heard != null) {
                allowed.add(heard);
            }
        }
        if (allowed.isEmpty()) {
            return null;
        }
        return allowed.equals(parcel.frames()) ? parcel : partOf.apply(allowed);
    }

    private Future<String> deliver() {
        int shown = 0;
        for (var parcel = waiting.peek(); parcel != null; parcel = waiting.peek()) {
            var chart = chartFor(parcel, parcel.frames().getLast().arrivedAtNanos());
            if (!chart.succeeded()) {
                var first = parcel;
                return chart.map(known -> {
                    show(first, known);
                    loop.poke();
                    return "showed one parcel";
                });
            }
            show(parcel, chart.result());
            shown++;
        }
        return Future.succeededFuture("showed %d parcels".formatted(shown));
    }

    private void show(Parcel parcel, OrgChart chart) {
        Map<List<Frame>, Parcel> parts = new HashMap<>(); // those that may hear the same events get the same bytes
        Consumer<Subscriber> showing = subscriber -> {
            if (subscriber.audience() instanceof Audience.Judged agent) {
                var part = heard(parcel, agent, chart, allowed -> parts.computeIfAbsent(allowed, Parcel::shared));
                if (part != null) {
                    subscriber.offer(part);
                }
            }
        };
        if (parcel.frames().stream().anyMatch(frame -> Audience.Agent.concernsAll(frame.event()))) {
            agents.forEach(showing);
        } else {
            people.forEach(showing);
            near(parcel, chart).forEach(id -> {
                var sockets = byWorkspace.get(id);
                if (sockets != null) {
                    sockets.forEach(showing);
                }
            });
        }
        parts.values().forEach(Parcel::release);
        if (waiting.peek() == parcel) {
            forgetFirst();
        }
    }

    private static Set<UUID> near(Parcel parcel, OrgChart chart) {
        Set<UUID> about = new HashSet<>();
        parcel.frames().forEach(frame -> {
            var workspaceId = frame.event().workspaceId();
            if (workspaceId != null) {
                about.add(workspaceId);
            }
        });
        Set<UUID> near = new HashSet<>();
        about.forEach(id -> near.addAll(chart.near(id)));
        return near;
    }

    private void forgetWaiting() {
        while (!waiting.isEmpty()) {
            forgetFirst();
        }
    }

    private void forgetFirst() {
        var first = waiting.remove();
        waitingEvents -= first.frames().size();
        waitingBytes -= first.socketSize();
        first.release();
    }
}
