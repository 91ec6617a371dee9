package ai.molecule.proxy.activity;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.TouchOutbound;
import io.vertx.core.Vertx;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callers whose message was delivered, told to the registry once a second: each once, at most 500 per batch. There are never
 * more than there are workspaces; a batch that failed waits for the next second. To be used on one event loop.
 */
public final class OutboundMarks {

    private static final Logger LOGGER = LoggerFactory.getLogger(OutboundMarks.class);
    private static final long TICK_MILLIS = 1_000;

    /** The contract's bound. */
    private static final int BATCH_MAX = 500;

    private final Bus bus;
    private final Set<UUID> callers = new LinkedHashSet<>();
    private boolean sending;

    public OutboundMarks(Vertx vertx, Bus bus) {
        this.bus = bus;
        vertx.setPeriodic(TICK_MILLIS, tick -> send());
    }

    public void mark(UUID caller) {
        callers.add(caller);
    }

    private void send() {
        if (sending || callers.isEmpty()) {
            return;
        }
        List<UUID> batch = callers.stream().limit(BATCH_MAX).toList();
        batch.forEach(callers::remove);
        sending = true;
        bus.call(TouchOutbound.CONTRACT, new TouchOutbound(batch)).onComplete(done -> {
            sending = false;
            if (done.failed()) {
                callers.addAll(batch);
                LOGGER.atWarn().addKeyValue("callers", batch.size()).log("last outbound not told, trying again");
            }
        });
    }
}
