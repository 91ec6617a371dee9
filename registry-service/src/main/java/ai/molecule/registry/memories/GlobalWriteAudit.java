package ai.molecule.registry.memories;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.AppendActivity;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the records of GLOBAL writes to the activity log: at once, and on a timer those that could not be delivered then.
 * Replicas may deliver the same one, the second adds nothing.
 */
public final class GlobalWriteAudit {

    private static final Logger LOGGER = LoggerFactory.getLogger(GlobalWriteAudit.class);

    /** What {@link AppendActivity} takes at once. */
    private static final int DELIVERED_MAX = 128;

    /** Younger ones are being delivered by the request that wrote them. */
    private static final Duration AGE_MIN = Duration.ofSeconds(30);

    private final MemoryStore store;
    private final Bus bus;
    private final Clock clock;

    public GlobalWriteAudit(MemoryStore store, Bus bus, Clock clock) {
        this.store = store;
        this.bus = bus;
        this.clock = clock;
    }

    /** Delivers what is overdue, at most 128 records. Never fails. */
    public Future<Void> run() {
        return store.undelivered(clock.instant().minus(AGE_MIN), DELIVERED_MAX)
                .recover(failure -> {
                    LOGGER.atWarn().setCause(failure).log("undelivered records of GLOBAL memories not read");
                    return Future.succeededFuture(List.of());
                })
                .compose(this::deliver);
    }

    /** Never fails: what could not be delivered stays for {@link #run()}. */
    Future<Void> deliver(List<GlobalWrite> writes) {
        if (writes.isEmpty()) {
            return Future.succeededFuture();
        }
        var rows = writes.stream().map(GlobalWrite::toActivity).toList();
        return bus.call(AppendActivity.CONTRACT, new AppendActivity(rows))
                .compose(appended ->
                        store.delivered(writes.stream().map(GlobalWrite::id).toList()))
                .recover(failure -> {
                    LOGGER.atWarn()
                            .addKeyValue("count", writes.size())
                            .addKeyValue("reason", failure.getMessage())
                            .log("records of GLOBAL memories not delivered yet");
                    return Future.succeededFuture();
                });
    }
}
