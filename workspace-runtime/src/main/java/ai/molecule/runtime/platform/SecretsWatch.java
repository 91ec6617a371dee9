package ai.molecule.runtime.platform;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the agent's secrets once, which tells the platform that no restart is needed for other values, and again whenever a heartbeat's
 * answer says that they changed. No model is asked anything for it.
 */
public final class SecretsWatch {

    private static final Logger LOGGER = LoggerFactory.getLogger(SecretsWatch.class);

    /** After a failure the platform, or a store behind it, is left alone for so long. */
    private static final long PAUSE_NANOS = 10_000_000_000L;

    private static final long NOTHING = -1;

    private final Supplier<Map<String, String>> ask;
    private final Consumer<Map<String, String>> take;
    private final LongSupplier nanoTime;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile Map<String, String> environment;
    private volatile long known = NOTHING;
    private volatile long failedAt;
    private volatile boolean failed;

    /**
     * @param environment the process's variables, as they were at the start
     * @param ask the secrets by name; may block and fail
     * @param take the variables, where a value is another one
     */
    public SecretsWatch(
            Map<String, String> environment, Supplier<Map<String, String>> ask, Consumer<Map<String, String>> take) {
        this(environment, ask, take, System::nanoTime);
    }

    SecretsWatch(
            Map<String, String> environment,
            Supplier<Map<String, String>> ask,
            Consumer<Map<String, String>> take,
            LongSupplier nanoTime) {
        this.environment = Map.copyOf(environment);
        this.ask = ask;
        this.take = take;
        this.nanoTime = nanoTime;
    }

    /**
     * What a heartbeat's answer said; returns at once.
     *
     * @param version of the secrets; -1 of a platform that does not say
     */
    void heard(long version) {
        boolean tooSoon = failed && nanoTime.getAsLong() - failedAt < PAUSE_NANOS;
        if (version != NOTHING && version != known && !tooSoon && asking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("secrets-watch").start(() -> follow(version));
        }
    }

    private void follow(long version) {
        try {
            Map<String, String> now = new HashMap<>(environment);
            now.putAll(ask.get());
            if (!now.equals(environment)) {
                take.accept(Map.copyOf(now));
                environment = Map.copyOf(now);
                LOGGER.info("secrets have other values");
            }
            failed = false;
            known = version; // what changed since it was heard is heard of with the next heartbeat
        } catch (RuntimeException e) {
            failedAt = nanoTime.getAsLong();
            failed = true;
            LOGGER.atWarn().addKeyValue("reason", e.getMessage()).log("secrets could not be asked for");
        } finally {
            asking.set(false);
        }
    }
}
