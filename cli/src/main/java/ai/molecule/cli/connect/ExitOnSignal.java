package ai.molecule.cli.connect;

import ai.molecule.cli.Console;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the agent loop when SIGTERM or SIGINT comes, and the process with 0: the agent did what it was told. A handler that does
 * not answer an interrupt has 10 s.
 */
final class ExitOnSignal {

    private static final Duration LOOP_LIMIT = Duration.ofSeconds(10);

    private final Console console;
    private final Thread loop;
    private final CountDownLatch ended = new CountDownLatch(1);

    private ExitOnSignal(Console console, Thread loop) {
        this.console = console;
        this.loop = loop;
    }

    /** The calling thread is the one that is going to run the loop. */
    static ExitOnSignal onSignal(Console console) {
        var ending = new ExitOnSignal(console, Thread.currentThread());
        Runtime.getRuntime().addShutdownHook(new Thread(ending::stop, "stop"));
        return ending;
    }

    void loopEnded() {
        ended.countDown();
    }

    private void stop() {
        if (ended.getCount() == 0) {
            return; // the process ends by itself, with its own exit code
        }
        console.out("[molecule] received signal — shutting down cleanly");
        loop.interrupt();
        try {
            ended.await(LOOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(0); // a JVM that a signal ends would answer 143
    }
}
