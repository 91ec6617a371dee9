package ai.molecule.proxy.backlog;

import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.proxy.backlog.BacklogStore.Queue;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@code molecule_queue_waiting}, {@code molecule_queue_oldest_seconds} and {@code molecule_delegations_open} by status: what waits in the
 * whole platform, counted every 5 s by each replica, one count at a time. NaN while the database does not answer, rather than a figure
 * of the past.
 */
public final class Backlog {

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(5), Duration.ofSeconds(10));
    private static final long COUNT_SECONDS_MAX = 30;
    private static final List<String> OPEN = List.of("pending", "dispatched", "queued");

    /** @param open delegations by status */
    private record Counted(Queue queue, Map<String, Long> open) {}

    private final BacklogStore store;
    private final Loop loop;

    /** Written on the event loop, read by whoever asks for the figures; null when the last count failed. */
    private volatile @Nullable Counted last;

    public Backlog(Vertx vertx, BacklogStore store, RunReport report, MeterRegistry meters) {
        this.store = store;
        this.loop = new Loop(vertx, report, "PostgreSQL", TIMES, this::count);
        figure("molecule.queue.waiting", counted -> counted.queue().messages()).register(meters);
        figure("molecule.queue.oldest.seconds", counted -> counted.queue().oldestSeconds())
                .register(meters);
        for (String status : OPEN) {
            figure("molecule.delegations.open", counted -> counted.open().get(status))
                    .tag("status", status)
                    .register(meters);
        }
    }

    public void start() {
        loop.start().poke();
    }

    public Future<Void> stop() {
        return loop.stop();
    }

    private Future<String> count() {
        var queue = store.queue();
        var delegations = store.delegations();
        return Future.join(queue, delegations)
                .timeout(COUNT_SECONDS_MAX, TimeUnit.SECONDS)
                .map(done -> {
                    last = new Counted(queue.result(), delegations.result());
                    return "%d messages wait, %d delegations are open"
                            .formatted(queue.result().messages(), sum(delegations.result()));
                })
                .onFailure(failure -> last = null);
    }

    private static long sum(Map<String, Long> open) {
        return open.values().stream().mapToLong(Long::longValue).sum();
    }

    private Gauge.Builder<Backlog> figure(String name, ToDoubleFunction<Counted> of) {
        return Gauge.builder(name, this, backlog -> {
            var counted = backlog.last;
            return counted == null ? Double.NaN : of.applyAsDouble(counted);
        });
    }
}
