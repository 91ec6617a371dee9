package ai.molecule.sdk;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * How a loop runs and when it ends by itself.
 *
 * <pre>{@code
 * LoopOptions.defaults().waitingWhilePaused()
 * }</pre>
 *
 * @param maxIterations rounds until the loop ends with {@code max_iterations}; empty: none
 * @param tasks asked before every heartbeat what the agent is doing; empty: how many messages are being handled
 * @param waitWhilePaused whether a paused agent stays, handling nothing, and goes on when it is resumed; otherwise a pause ends
 *     the loop
 */
public record LoopOptions(OptionalInt maxIterations, Optional<Supplier<CurrentTask>> tasks, boolean waitWhilePaused) {

    /** Ends when the workspace is paused or deleted, and for no other reason. */
    public static LoopOptions defaults() {
        return new LoopOptions(OptionalInt.empty(), Optional.empty(), false);
    }

    public LoopOptions withMaxIterations(int rounds) {
        return new LoopOptions(OptionalInt.of(rounds), tasks, waitWhilePaused);
    }

    public LoopOptions withTasks(Supplier<CurrentTask> supplier) {
        return new LoopOptions(maxIterations, Optional.of(supplier), waitWhilePaused);
    }

    public LoopOptions waitingWhilePaused() {
        return new LoopOptions(maxIterations, tasks, true);
    }

    boolean ended(int rounds) {
        return maxIterations.isPresent() && rounds >= maxIterations.getAsInt();
    }
}
