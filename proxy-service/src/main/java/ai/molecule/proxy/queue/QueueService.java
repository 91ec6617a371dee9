package ai.molecule.proxy.queue;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.CapacityWanted;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.BusyQueue;
import ai.molecule.proxy.a2a.messages.Dispatch;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules of waiting for a busy agent. */
public final class QueueService implements BusyQueue {

    /** Targets whose capacity is asked for at one time; the others are looked at by the slow timer. */
    private static final int WANTED_MAX = 1000;

    private final QueueStore store;
    private final Bus bus;
    private final Duration keep;

    /** Targets somebody waited for when that was last looked at. */
    private Set<UUID> waitedFor = Set.of();

    private QueueOutcomeListener listener = (deferred, ending) -> Future.succeededFuture();

    /** @param keep how long ended messages are remembered */
    public QueueService(QueueStore store, Bus bus, Duration keep) {
        this.store = store;
        this.bus = bus;
        this.keep = keep;
    }

    /** Who hears of what is dropped. */
    public void tell(QueueOutcomeListener ends) {
        listener = ends;
    }

    @Override
    public Future<Waiting> keep(DeferredMessage deferred, String method, @Nullable String messageId) {
        return store.enqueue(deferred, method, messageId)
                .map(kept -> kept.orElseThrow(QueueService::full))
                .onSuccess(kept -> want(List.of(deferred.target())));
    }

    /** Asks the registry to say when an agent that messages wait for has capacity. */
    public Future<Void> wantCapacity() {
        return store.targets(WANTED_MAX).map(targets -> {
            if (!targets.isEmpty()) {
                want(targets);
            }
            return null;
        });
    }

    public Future<Void> hurry(UUID target) {
        return store.hurry(target);
    }

    public Future<Integer> prune(int max) {
        return store.prune(keep, max);
    }

    /** How many were dropped. */
    Future<Integer> dropStale(Duration age, @Nullable UUID target) {
        return drop(age, target, "dropped from the queue");
    }

    /** Looks at all targets that somebody waits for, and ends what waits for a quarantined one. */
    public Future<Void> closeQuarantined(Dispatch dispatch) {
        return store.targets(WANTED_MAX).compose(targets -> {
            waitedFor = Set.copyOf(targets);
            return Future.join(targets.stream()
                            .map(target -> closeIfQuarantined(target, dispatch))
                            .toList())
                    .mapEmpty();
        });
    }

    /** The same at once, for one that may have been quarantined. */
    public void changed(UUID target, Dispatch dispatch) {
        if (waitedFor.contains(target)) {
            closeIfQuarantined(target, dispatch);
        }
    }

    private Future<?> closeIfQuarantined(UUID target, Dispatch dispatch) {
        return dispatch.isQuarantined(target)
                .compose(closed ->
                        closed ? drop(Duration.ZERO, target, Admission.QUARANTINED) : Future.succeededFuture(0));
    }

    private Future<Integer> drop(Duration age, @Nullable UUID target, String why) {
        return store.drop(age, target, why).compose(dropped -> {
            var told = dropped.stream()
                    .map(deferred -> listener.ended(deferred, new QueueOutcome.Failed(why, false)))
                    .toList();
            return Future.join(told).transform(done -> Future.succeededFuture(dropped.size()));
        });
    }

    private void want(List<UUID> targets) {
        bus.publish(CapacityWanted.HINT, new CapacityWanted(targets));
    }

    private static ApiError full() {
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "workspace agent busy — retry after a short backoff",
                Map.of("busy", true, "retry_after", 30));
    }
}
