package ai.molecule.cli.backup;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, or another signal that ends the process, while something is made: it is cut off where it reads or writes, and the process ends when
 * what was begun has been taken away, after two minutes at the latest.
 */
final class Interruption implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** What is read or written. */
    interface Cut {
        void cut() throws Exception;
    }

    private final Console console;
    private final String outcome;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Cut> cuts = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(this::come, "interrupted");
    private volatile boolean begun;
    private volatile boolean came;
    private volatile boolean whole;

    private Interruption(Console console, String outcome) {
        this.console = console;
        this.outcome = outcome;
    }

    /** @param outcome what is said then, "nothing was made" */
    static Interruption watch(Console console, String outcome) {
        var interruption = new Interruption(console, outcome);
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    /** From now on there is something to be taken away. */
    void begin() {
        begun = true;
    }

    /** From now on this is to be cut off, so that whoever waits for it goes on. */
    void cutsOff(Cut cut) {
        begin();
        cuts.add(cut);
        if (came) {
            cutOff(cut);
        }
    }

    /** What was to be made is there. */
    void isWhole() {
        whole = true;
    }

    /** @throws IOException when it came */
    void requireNone() throws IOException {
        if (came) {
            throw new InterruptedIOException("it was interrupted");
        }
    }

    /** Throws what went wrong, unless that was because of this, which says so itself; then the exit code, of which nobody hears. */
    int orElse(LaunchFailure failure) {
        if (came) {
            return 2;
        }
        throw failure;
    }

    void come() {
        came = true;
        cuts.forEach(Interruption::cutOff);
        boolean ended = false;
        try {
            ended = !begun || over.await(LONGEST.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        if (!whole) {
            console.say("Interrupted; " + outcome
                    + (ended ? "." : ", but not all that was begun could be taken away: the next try does it."));
        }
    }

    private static void cutOff(Cut cut) {
        try {
            cut.cut();
        } catch (Exception cutAlready) {
            // whatever it was, it is at its end
        }
    }

    @Override
    public void close() {
        over.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // it runs
        }
    }
}
