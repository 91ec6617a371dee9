package ai.molecule.runtime.platform;

import ai.molecule.runtime.tasks.WorkMeter.Reading;
import ai.molecule.sdk.Heartbeat;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.PlatformException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers, then sends a heartbeat at once, every interval, and whenever the work changes; changes within half a second
 * go into one heartbeat. The platform may come and go: what fails is tried again with a growing pause for as long as the
 * agent lives.
 */
public final class PlatformLink implements AutoCloseable {

    /** Two heartbeats are never closer than this, however often the work changes. */
    static final Duration GAP = Duration.ofMillis(500);

    private static final Logger LOGGER = LoggerFactory.getLogger(PlatformLink.class);

    private final PlatformClient platform;
    private final Vitals vitals;
    private final LongConsumer secrets;
    private final CountDownLatch registered = new CountDownLatch(1);
    private final Duration interval;
    private final long startedNanos = System.nanoTime();
    private final Thread thread;

    private PlatformLink(
            PlatformClient platform,
            String url,
            ObjectNode card,
            Vitals vitals,
            LongConsumer secrets,
            Duration interval) {
        this.platform = platform;
        this.secrets = secrets;
        this.vitals = vitals;
        this.interval = interval;
        this.thread = Thread.ofVirtual().name("platform-link").unstarted(() -> live(url, card));
    }

    /**
     * Begins on a thread of its own and returns at once.
     *
     * @param url where the agent listens
     * @param card what it says about itself
     * @param vitals what its heartbeats tell
     */
    public static PlatformLink open(
            PlatformClient platform, String url, ObjectNode card, Vitals vitals, Duration interval) {
        return open(platform, url, card, vitals, Optional.empty(), interval);
    }

    /** The same, of an agent that uses other values of secrets without a restart. */
    public static PlatformLink open(
            PlatformClient platform,
            String url,
            ObjectNode card,
            Vitals vitals,
            Optional<SecretsWatch> secrets,
            Duration interval) {
        LongConsumer told = version -> secrets.ifPresent(watch -> watch.heard(version));
        var link = new PlatformLink(platform, url, card, vitals, told, interval);
        link.thread.start();
        return link;
    }

    /** Returns once the platform knows the agent, however long that takes. */
    public void awaitRegistered() throws InterruptedException {
        registered.await();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void live(String url, ObjectNode card) {
        try {
            untilItWorks("register", () -> platform.register(url, card));
            LOGGER.atInfo().addKeyValue("url", url).log("registered");
            registered.countDown();
            Reading told = Reading.NONE;
            while (true) {
                told = beat(told);
                Thread.sleep(GAP);
                vitals.meter().awaitOtherWorkThan(told, interval.minus(GAP));
            }
        } catch (InterruptedException closed) {
            LOGGER.debug("platform link closed");
        }
    }

    /** Sends what is true at the moment of each attempt, and returns what was told. */
    private Reading beat(Reading toldBefore) throws InterruptedException {
        Reading[] told = {toldBefore};
        untilItWorks("heartbeat", () -> {
            Reading now = vitals.meter().read();
            platform.heartbeat(heartbeat(now, toldBefore), vitals.wedged().get(), vitals.metadata());
            told[0] = now;
            secrets.accept(platform.secretsVersion());
        });
        return told[0];
    }

    private Heartbeat heartbeat(Reading now, Reading before) {
        long ended = now.ended() - before.ended();
        long failed = now.failed() - before.failed();
        return new Heartbeat(
                now.currentTask(),
                now.activeTasks(),
                ended == 0 ? 0 : (double) failed / ended,
                failed == 0 ? "" : now.lastFailure(),
                Duration.ofNanos(System.nanoTime() - startedNanos));
    }

    private static void untilItWorks(String what, Runnable call) throws InterruptedException {
        for (int failures = 1; ; failures++) {
            try {
                call.run();
                return;
            } catch (RuntimeException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                report(what, failures, e);
                Thread.sleep(Backoff.after(failures, ThreadLocalRandom.current().nextDouble()));
            }
        }
    }

    /** The first three and then every tenth: a platform that is away for a night must not fill the log. */
    private static void report(String what, int failures, RuntimeException e) {
        if (failures <= 3 || failures % 10 == 0) {
            var event = LOGGER.atWarn().addKeyValue("call", what).addKeyValue("failures", failures);
            boolean expected = e instanceof PlatformException;
            (expected ? event.addKeyValue("reason", e.getMessage()) : event.setCause(e)).log("platform call failed");
        }
    }
}
