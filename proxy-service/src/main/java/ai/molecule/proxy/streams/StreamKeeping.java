package ai.molecule.proxy.streams;

import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every replica does once per tick: say that it lives, adopt streams of replicas that do not, end those whose task was
 * canceled; and every tenth tick drop what is kept longer than the limits say, and look for streams whose adoption went unheard. Each part is idempotent and bounded per run; a
 * failed run is made up for by the next. None waits for another: a replica that drops for longer than a lease still lives.
 */
public final class StreamKeeping {

    private static final Logger LOGGER = LoggerFactory.getLogger(StreamKeeping.class);
    private static final int ADOPTED_MAX = 20;
    private static final int FORGOTTEN_MAX = 500;
    private static final int TRIMMED_MAX = 20;
    private static final int TICKS_PER_PRUNING = 10;

    private final Vertx vertx;
    private final Streams streams;
    private final StreamStore store;
    private final JournalLimits limits;
    private final AgentLine agents;
    private final Counter adoptions;
    private final Counter pruned;
    private final RunReport report;
    private final RunReport pruning;
    private boolean renewing;
    private boolean looking;
    private boolean dropping;
    private boolean stopped;
    private long ticks;
    private long timer = -1;

    public StreamKeeping(
            Vertx vertx,
            Streams streams,
            StreamStore store,
            JournalLimits limits,
            AgentLine agents,
            Reconcilers reconcilers,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.streams = streams;
        this.store = store;
        this.limits = limits;
        this.agents = agents;
        this.adoptions = meters.counter("molecule.streams.adopted");
        this.pruned = meters.counter("molecule.streams.pruned");
        this.report = reconcilers.add("streams", "adopts streams of dead proxies and ends canceled ones");
        this.pruning = reconcilers.add("stream-pruning", "forgets streams and events that are kept long enough");
    }

    /** Completes when other replicas can see that this one lives; before, it must own no stream. */
    public Future<Void> start() {
        return store.renew(streams.owner())
                .onSuccess(seen -> timer = vertx.setPeriodic(limits.tick().toMillis(), tick -> run()));
    }

    public void stop() {
        stopped = true;
        vertx.cancelTimer(timer);
    }

    private void run() {
        streams.wakeAll();
        boolean tenth = ++ticks % TICKS_PER_PRUNING == 0;
        if (!renewing) {
            renewing = true;
            store.renew(streams.owner()).onComplete(seen -> renewing = false).onComplete(seen -> look(seen, tenth));
        }
        if (tenth && !dropping) {
            dropping = true;
            prune().onComplete(done -> dropping = false);
        }
    }

    /** Only one that others can see may adopt. */
    private void look(AsyncResult<Void> seen, boolean forStrays) {
        if (looking || stopped) {
            return;
        }
        looking = true;
        var run = (seen.succeeded() ? adopt() : Future.<Void>failedFuture(seen.cause()))
                .compose(adopted -> endCanceled())
                .compose(ended -> forStrays ? findStrays() : Future.succeededFuture());
        report.follow(run);
        run.onComplete(done -> {
            looking = false;
            if (done.failed()) {
                LOGGER.atWarn().setCause(done.cause()).log("streams are not looked after, trying again");
            }
        });
    }

    private Future<Void> adopt() {
        return store.adopt(streams.owner(), limits.lease(), ADOPTED_MAX).map(heads -> {
            heads.forEach(this::goOn);
            return null;
        });
    }

    /** Takes up adoptions whose answer was lost. No other replica will, because this one lives. */
    private Future<Void> findStrays() {
        return store.strays(streams.owner(), streams.known(), ADOPTED_MAX).map(heads -> {
            heads.forEach(this::goOn);
            return null;
        });
    }

    private void goOn(StreamHead head) {
        if (stopped) {
            return; // whoever finds that this replica has gone goes on
        }
        adoptions.increment();
        LOGGER.atInfo().addKeyValue("streamId", head.id()).log("stream adopted");
        var relay = streams.own(head);
        relay.ended().onSuccess(end -> {
            if (!end.handedOver()) {
                agents.ended(head, end);
            }
        });
        if (head.isFinal()) {
            relay.conclude();
        } else if (head.task() == null) {
            relay.interrupt("the platform lost the agent before it named its task");
        } else {
            agents.follow(head)
                    .onSuccess(relay::follow)
                    .onFailure(failure -> relay.interrupt(String.valueOf(failure.getMessage())));
        }
    }

    private Future<Void> endCanceled() {
        return store.canceledOf(streams.owner()).map(heads -> {
            heads.forEach(this::cancel);
            return null;
        });
    }

    private void cancel(StreamHead head) {
        var relay = streams.relayOf(head.id());
        var task = head.task();
        if (relay != null && task != null) {
            relay.canceled(new Sighting(task.taskId(), task.contextId(), TaskState.CANCELED, head.canceled()));
        }
    }

    private Future<Void> prune() {
        var run = store.forget(limits.age(), FORGOTTEN_MAX).compose(forgotten -> {
            pruned.increment(forgotten);
            return store.trim(limits.eventsMax(), limits.bytesMax(), TRIMMED_MAX)
                    .map(trimmed -> forgotten + trimmed);
        });
        pruning.follow(run);
        return run.<Void>mapEmpty()
                .onFailure(
                        failure -> LOGGER.atWarn().setCause(failure).log("old streams are not dropped, trying again"));
    }
}
