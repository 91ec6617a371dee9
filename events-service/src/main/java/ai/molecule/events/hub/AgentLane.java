package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.events.directory.OrgChart;
import ai.molecule.events.directory.OrgChartCache;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivery to agents, which needs the org chart. Events wait in order while the chart is being asked for; when the registry is
 * away for so long that too many wait, the agents are sent away to come back with their position, rather than skip one.
 */
final class AgentLane {

    private static final Logger LOGGER = LoggerFactory.getLogger(AgentLane.class);

    private static final int WAITING_MAX = 10_000;
    private static final long RETRY_MILLIS = 500;

    private final Vertx vertx;
    private final OrgChartCache charts;
    private final Set<Subscriber> agents = new LinkedHashSet<>();
    private final Deque<Frame> waiting = new ArrayDeque<>();
    private boolean asking;

    AgentLane(Vertx vertx, OrgChartCache charts) {
        this.vertx = vertx;
        this.charts = charts;
    }

    void add(Subscriber agent) {
        agents.add(agent);
    }

    void remove(Subscriber agent) {
        agents.remove(agent);
    }

    void offer(Frame frame) {
        if (agents.isEmpty()) {
            waiting.clear();
            return;
        }
        if (waiting.size() >= WAITING_MAX) {
            LOGGER.atWarn()
                    .addKeyValue("agents", agents.size())
                    .log("org chart missing for too long, agents sent away");
            waiting.clear();
            List.copyOf(agents).forEach(agent -> agent.close(Goodbye.TRY_AGAIN));
            return;
        }
        waiting.add(frame);
        deliver();
    }

    /** The chart to judge an event by: a fresh one when the event speaks of a workspace that the kept one does not know. */
    Future<OrgChart> chartFor(Event event, long arrivedAtNanos) {
        return charts.current().compose(chart -> {
            var workspaceId = event.workspaceId();
            boolean stale = workspaceId != null
                    && chart.find(workspaceId).isEmpty()
                    && chart.askedAtNanos() - arrivedAtNanos < 0;
            return stale ? charts.askedAfter(arrivedAtNanos) : Future.succeededFuture(chart);
        });
    }

    private void deliver() {
        while (!asking) {
            var frame = waiting.peek();
            if (frame == null) {
                return;
            }
            var chart = chartFor(frame.event(), frame.arrivedAtNanos());
            if (chart.succeeded()) {
                show(frame, chart.result());
            } else {
                asking = true;
                chart.onSuccess(known -> resume(() -> show(frame, known)))
                        .onFailure(away -> vertx.setTimer(RETRY_MILLIS, timer -> resume(() -> {})));
            }
        }
    }

    private void resume(Runnable first) {
        asking = false;
        first.run();
        deliver();
    }

    private void show(Frame frame, OrgChart chart) {
        if (waiting.peek() == frame) {
            waiting.poll();
        }
        for (var subscriber : List.copyOf(agents)) {
            if (subscriber.audience() instanceof Audience.Agent agent && agent.mayHear(frame.event(), chart)) {
                subscriber.offer(frame);
            }
        }
    }
}
