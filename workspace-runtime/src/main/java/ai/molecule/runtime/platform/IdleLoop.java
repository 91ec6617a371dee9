package ai.molecule.runtime.platform;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an agent its idle prompt again and again while it has nothing to do. One such message at a time. */
public final class IdleLoop implements Routines.Routine {

    private static final Logger LOGGER = LoggerFactory.getLogger(IdleLoop.class);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(60);
    private static final Duration TIMEOUT_MIN = Duration.ofSeconds(60);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(5);

    private final WorkspaceClient self;
    private final SelfPrompts prompts;
    private final BooleanSupplier busy;
    private final AtomicBoolean unanswered = new AtomicBoolean();

    /** @param busy whether the agent has something to do */
    public IdleLoop(WorkspaceClient self, SelfPrompts prompts, BooleanSupplier busy) {
        this.self = self;
        this.prompts = prompts;
        this.busy = busy;
    }

    @Override
    public void run() throws InterruptedException {
        Thread.sleep(settling(prompts.idleInterval()));
        while (true) {
            Thread.sleep(prompts.idleInterval());
            if (!busy.getAsBoolean() && unanswered.compareAndSet(false, true)) {
                Thread.ofVirtual().name("idle-prompt").start(this::tell);
            }
        }
    }

    /** What passes after the start before the first interval begins. */
    static Duration settling(Duration interval) {
        return interval.compareTo(SETTLE_MAX) < 0 ? interval : SETTLE_MAX;
    }

    /** How long one prompt may take to be answered. */
    static Duration timeout(Duration interval) {
        if (interval.compareTo(TIMEOUT_MIN) < 0) {
            return TIMEOUT_MIN;
        }
        return interval.compareTo(TIMEOUT_MAX) > 0 ? TIMEOUT_MAX : interval;
    }

    private void tell() {
        String id = "idle-" + UUID.randomUUID().toString().substring(0, 8);
        try {
            self.tellSelf(id, prompts.idle(), timeout(prompts.idleInterval()));
            LOGGER.atDebug().addKeyValue("messageId", id).log("idle prompt answered");
        } catch (PlatformException e) {
            LOGGER.atWarn()
                    .addKeyValue("messageId", id)
                    .addKeyValue("reason", e.getMessage())
                    .log("idle prompt not answered");
        } finally {
            unanswered.set(false);
        }
    }
}
