package ai.molecule.cli.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Says on the launcher's terminal that a service or server does not stay up, once, and that it is back when it has run for as long as the policy
 * calls stable: one that starts and ends again all the time is not announced each time.
 */
public final class OutageNotice {

    /** One that ends once or twice is back before anybody has read of it. */
    private static final int ENDS_IN_A_ROW = 3;

    private final String name;
    private final Path log;
    private final Duration stable;
    private final Consumer<String> terminal;
    private boolean said;

    /** @param log says why it ends */
    public OutageNotice(String name, Path log, RestartPolicy policy, Consumer<String> terminal) {
        this.name = name;
        this.log = log;
        this.stable = policy.stable();
        this.terminal = terminal;
    }

    /** @param inARow how often it ended now, or could not be started, without running for long in between */
    public synchronized void endedOnceMore(int inARow) {
        if (inARow >= ENDS_IN_A_ROW && !said) {
            said = true;
            terminal.accept("%s has ended %d times in a row. It is started again until it runs; %s says why it ends."
                    .formatted(name, inARow, log));
        }
    }

    /** @param stillRuns whether it is the process that was started now */
    public synchronized void started(BooleanSupplier stillRuns) {
        if (said) {
            CompletableFuture.delayedExecutor(stable.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> isBack(stillRuns));
        }
    }

    private synchronized void isBack(BooleanSupplier stillRuns) {
        if (said && stillRuns.getAsBoolean()) {
            said = false;
            terminal.accept(name + " runs again.");
        }
    }
}
