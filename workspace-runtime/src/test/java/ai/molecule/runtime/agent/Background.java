package ai.molecule.runtime.agent;

import java.util.concurrent.CompletableFuture;

/** Work of a test that goes on while the test looks at it. */
public final class Background {

    /** What may fail in any way. */
    public interface Work {
        void run() throws Exception;
    }

    private Background() {}

    /** Runs it on a thread of its own; the future ends as the work does. */
    public static CompletableFuture<Void> inBackground(Work work) {
        var done = new CompletableFuture<Void>();
        Thread.ofVirtual().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }
}
