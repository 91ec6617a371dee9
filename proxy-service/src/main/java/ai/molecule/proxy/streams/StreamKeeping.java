package ai.molecule.proxy.streams;

import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every replica does: say at every tick that it lives; then adopt streams of replicas that do not, end those whose task was
 * canceled, and at every tenth look for streams whose adoption went unheard; and at every tenth tick drop what is kept longer than the
 * limits say. Each part is idempotent and bounded per run; a failed run is made up for by the next. None waits for another: a replica
 * that drops for longer than a lease still lives. After its start, an outage or a pause a replica adopts only what was said goodbye to,
 * until it has renewed for a lease without a gap, see {@link RenewalStreak}: before, the living look dead as well.
 */
public final class StreamKeeping {

    private static final Logger LOGGER = LoggerFactory.getLogger(StreamKeeping.class);
    private static final int ADOPTED_MAX = 20;
    private static final int FORGOTTEN_MAX = 500;
    private static final int TRIMMED_MAX = 20;
    private static final int TICKS_PER_PRUNING = 10;
    private static final String DATABASE = "PostgreSQL";
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    /** Between full batches of what is dropped. */
    private static final Duration PACE = Duration.ofMillis(100);

    private final Streams streams;
    private final StreamStore store;
    private final JournalLimits limits;
    private final TaskFollower agents;
    private final RenewalStreak streak;
    private final Counter adoptions;
    private final Counter pruned;
    private final Loop living;
    private final Loop adopting;
    private final Loop pruning;
    private boolean stopped;
    private long looks;

    public StreamKeeping(
            Vertx vertx,
            Streams streams,
            StreamStore store,
            JournalLimits limits,
            TaskFollower agents,
            Reconcilers reconcilers,
            MeterRegistry meters) {
        this.streams = streams;
        this.store = store;
        this.limits = limits;
        this.agents = agents;
        this.streak = RenewalStreak.proven(limits.lease());
        this.adoptions = meters.counter("molecule.streams.adopted");
        this.pruned = meters.counter("molecule.streams.pruned");
        var tick = limits.tick();
        this.living = new Loop(
                vertx,
                reconcilers.add("stream-owner", "says that this proxy lives, so that its streams are left to it"),
                DATABASE,
                new Loop.Times(tick, DEADLINE),
                this::live);
        this.adopting = new Loop(
                vertx,
                reconcilers.add("streams", "adopts streams of dead proxies and ends canceled ones"),
                DATABASE,
                new Loop.Times(tick, DEADLINE),
                this::look);
        this.pruning = new Loop(
                vertx,
                reconcilers.add("stream-pruning", "forgets streams and events that are kept long enough"),
                DATABASE,
                new Loop.Times(tick.multipliedBy(TICKS_PER_PRUNING), PACE, DEADLINE),
                this::prune);
    }

    /** Completes when other replicas can see that this one lives; before, it must own no stream. */
    public Future<Void> start() {
        return store.renew(streams.owner()).map(seen -> {
            streak.renewed(seen);
            living.start();
            pruning.start();
            return null;
        });
    }

    /** Until when proxies that were not seen may be called dead, by the database's clock; empty while they may not. */
    public Optional<Instant> judgesUntil() {
        return streak.judgesUntil();
    }

    /** Completes when nothing of it is under way any more. */
    public Future<?> stop() {
        stopped = true;
        return Future.join(living.stop(), adopting.stop(), pruning.stop());
    }

    /** Only one that others can see may adopt. */
    private Future<?> live() {
        streams.wakeAll();
        return store.renew(streams.owner())
                .onSuccess(seen -> {
                    streak.renewed(seen);
                    adopting.poke();
                })
                .onFailure(away -> living.poke()); // soon, because its streams are taken when it is not seen
    }

    private Future<?> look() {
        boolean forStrays = ++looks % TICKS_PER_PRUNING == 0;
        return adopt().compose(adopted -> endCanceled())
                .compose(ended -> forStrays ? findStrays() : Future.succeededFuture());
    }

    private Future<Void> adopt() {
        return store.adopt(streams.owner(), limits.lease(), streak.judgesUntil(), ADOPTED_MAX)
                .map(heads -> {
                    heads.stream().map(StreamHead::withoutRequest).forEach(this::goOn);
                    return null;
                });
    }

    /** Takes up adoptions whose answer was lost. No other replica will, because this one lives. */
    private Future<Void> findStrays() {
        return store.strays(streams.owner(), streams.known(), ADOPTED_MAX).map(heads -> {
            heads.stream().map(StreamHead::withoutRequest).forEach(this::goOn);
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

    /** Rows of replicas not seen for long go too, so not while the living look as if they were. */
    private Future<Integer> prune() {
        if (streak.judgesUntil().isEmpty()) {
            return Future.succeededFuture(0);
        }
        return store.forget(limits.age(), FORGOTTEN_MAX).compose(forgotten -> {
            pruned.increment(forgotten);
            return store.trim(limits.eventsMax(), limits.bytesMax(), TRIMMED_MAX)
                    .map(trimmed -> {
                        if (forgotten == FORGOTTEN_MAX || trimmed == TRIMMED_MAX) {
                            pruning.poke(); // or streams that end faster would pile up
                        }
                        return forgotten + trimmed;
                    });
        });
    }
}
