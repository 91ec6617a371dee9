package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.StartRefused;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The FIFO agents read from. Opening one for reading waits until somebody has it open for writing, possibly for ever. */
final class Lifeline {

    private static final Duration OPEN_MAX = Duration.ofSeconds(2);

    private Lifeline() {}

    /** Returns when the FIFO can be opened at once; fails with {@link StartRefused} when nobody holds its other end. */
    static void requireHeld(Path fifo) throws IOException {
        var opened = new CompletableFuture<Void>();
        Thread.ofPlatform().daemon().name("lifeline-check").start(() -> {
            try (var end = new FileInputStream(fifo.toFile())) {
                opened.complete(null);
            } catch (IOException failure) {
                opened.completeExceptionally(failure);
            }
        });
        try {
            opened.get(OPEN_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException nobodyWrites) {
            try (var release = new RandomAccessFile(fifo.toFile(), "rw")) {
                throw notHeld(); // opening it for writing lets the waiting thread go
            }
        } catch (ExecutionException failure) {
            throw notHeld();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw notHeld();
        }
    }

    private static StartRefused notHeld() {
        return new StartRefused("workspace start failed: nobody holds the agents' lifeline (MOLECULE_AGENT_LIFELINE)");
    }
}
