package ai.molecule.proxy.activity;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Callers whose message was delivered, told to the registry once a second: each once, at most 500 per batch. There are never
 * more than there are workspaces; a batch that failed waits for the next second. To be used on one event loop.
 */
public final class OutboundMarks {

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(1), Duration.ofSeconds(5));

    /** The contract's bound. */
    private static final int BATCH_MAX = 500;

    private final Bus bus;
    private final Set<UUID> callers = new LinkedHashSet<>();

    public OutboundMarks(Vertx vertx, Bus bus, RunReport report) {
        this.bus = bus;
        new Loop(vertx, report, "the registry", TIMES, this::send).start();
    }

    public void mark(UUID caller) {
        callers.add(caller);
    }

    private Future<?> send() {
        if (callers.isEmpty()) {
            return Future.succeededFuture(0);
        }
        List<UUID> batch = callers.stream().limit(BATCH_MAX).toList();
        batch.forEach(callers::remove);
        return bus.call(TouchOutbound.CONTRACT, new TouchOutbound(batch))
                .map(told -> batch.size())
                .onFailure(away -> callers.addAll(batch));
    }
}
