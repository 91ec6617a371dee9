package ai.molecule.runtime.cli;

import ai.molecule.runtime.processes.ProcessTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * One run of a program. Whatever ends it before the program itself does, be it a cancelled task, the time, or an answer
 * that nobody can hold, ends all the program started.
 */
final class CommandRun {

    /** What a program that has ended may still have in its pipes, or a child of it that holds them. */
    private static final Duration REST = Duration.ofSeconds(5);

    private static final int BUFFER_BYTES = 4096;

    private final Process process;
    private final ProcessTree tree;
    private final Complaint complaint = new Complaint();

    CommandRun(Process process, ProcessTree tree) {
        this.process = process;
        this.tree = tree;
    }

    Complaint complaint() {
        return complaint;
    }

    /**
     * The exit code.
     *
     * @param answer reads what the program writes
     * @param stood how long it could do nothing until now: that much later its time is up
     * @param next asked meanwhile, when it is to be asked again; whatever it throws ends the run
     * @throws TimeoutException when the time is up
     * @throws RuntimeException what taking the answer threw
     */
    int await(String prompt, Output answer, Duration timeout, Supplier<Duration> stood, Supplier<Duration> next)
            throws InterruptedException, TimeoutException {
        boolean clean = false;
        try {
            var output = inBackground("stdout", () -> answer.read(process.getInputStream()));
            var errors = inBackground("stderr", this::listen);
            var input = inBackground("stdin", () -> write(prompt));
            CompletableFuture<?> refused = new CompletableFuture<>();
            output.whenComplete((done, failure) -> {
                if (failure != null) {
                    refused.completeExceptionally(failure);
                }
            });
            within(timeout, stood, next, CompletableFuture.anyOf(process.onExit(), refused));
            clean = rest(CompletableFuture.allOf(output, errors, input));
            if (!clean) {
                tree.kill(); // and with it whoever held the pipes, so that they end
                rest(CompletableFuture.allOf(output, errors, input));
            }
            return process.waitFor();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException refusal ? refusal : new CompletionException(e.getCause());
        } finally {
            if (!clean) {
                tree.kill();
            }
        }
    }

    private static void within(
            Duration timeout, Supplier<Duration> stood, Supplier<Duration> next, CompletableFuture<?> end)
            throws InterruptedException, ExecutionException, TimeoutException {
        long begun = System.nanoTime();
        var left = timeout;
        while (true) {
            try {
                end.get(Math.max(1, Math.min(left.toMillis(), next.get().toMillis())), TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException late) {
                left = timeout.plus(stood.get()).minusNanos(System.nanoTime() - begun);
                if (left.isNegative() || left.isZero()) {
                    throw late;
                }
            }
        }
    }

    /** Whether everything was read to its end in time. */
    private static boolean rest(CompletableFuture<Void> pipes) throws InterruptedException, ExecutionException {
        try {
            pipes.get(REST.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException held) {
            return false;
        }
    }

    private void listen() throws IOException {
        InputStream errors = process.getErrorStream();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int length = errors.read(buffer); length >= 0; length = errors.read(buffer)) {
            complaint.add(buffer, length);
        }
    }

    private void write(String prompt) throws IOException {
        try (var input = process.getOutputStream()) {
            input.write(prompt.getBytes(StandardCharsets.UTF_8));
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** A stream that breaks has ended: a program need not read its message, and a killed one has closed all of them. */
    private static CompletableFuture<Void> inBackground(String name, Step step) {
        var done = new CompletableFuture<Void>();
        Thread.ofVirtual().name(name).start(() -> {
            try {
                step.run();
                done.complete(null);
            } catch (IOException broken) {
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }
}
