package ai.molecule.registry.secrets.stores;

import ai.molecule.common.ApiError;
import ai.molecule.registry.secrets.stores.StoreFailure.Reason;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Programs that the operator named: what one prints is the value. Started without a shell, arguments, input, or the registry's own
 * variables, which hold its credentials.
 *
 * @param patience how long one may take, output and end
 */
record ProgramStore(Map<String, Path> programs, WorkerExecutor workers, Duration patience) implements SecretStore {

    /** What a program finds in its environment; its own settings stand in files. */
    private static final List<String> PASSED_ON = List.of("PATH", "HOME", "LANG", "TZ", "TMPDIR");

    @Override
    public void check(String path) {
        if (!programs.containsKey(path)) {
            throw ApiError.invalid("a program must be one that %s names".formatted(StoreSettings.PROGRAMS));
        }
    }

    @Override
    public Future<String> read(String path) {
        var program = programs.get(path);
        return program == null
                ? Future.failedFuture(new StoreFailure(Reason.NOT_ALLOWED))
                : workers.executeBlocking(() -> output(program), false);
    }

    private String output(Path program) throws InterruptedException {
        var process = started(program);
        try {
            var printed = CompletableFuture.supplyAsync(
                    () -> read(process.getInputStream()),
                    reading -> Thread.ofVirtual().name("secret-program").start(reading));
            long end = System.nanoTime() + patience.toNanos();
            byte[] bytes = printed.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (bytes.length > SecretStores.VALUE_MAX_BYTES + 1) {
                throw new StoreFailure(Reason.TOO_LARGE);
            }
            if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new StoreFailure(Reason.TIMED_OUT);
            }
            if (process.exitValue() != 0) {
                throw new StoreFailure(Reason.FAILED);
            }
            return SecretStores.textOf(bytes);
        } catch (TimeoutException slow) {
            throw new StoreFailure(Reason.TIMED_OUT);
        } catch (ExecutionException unreadable) {
            throw new StoreFailure(Reason.FAILED);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Process started(Path program) {
        var builder = new ProcessBuilder(program.toString())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.DISCARD); // its words may repeat the value
        var environment = builder.environment();
        environment.keySet().retainAll(PASSED_ON);
        try {
            return builder.start();
        } catch (IOException notStarted) {
            throw new StoreFailure(Reason.UNREACHABLE);
        }
    }

    /** One byte and a line's end more than a value may have, at most. */
    private static byte[] read(InputStream out) {
        try {
            return out.readNBytes(SecretStores.VALUE_MAX_BYTES + 2);
        } catch (IOException cut) {
            throw new UncheckedIOException(cut);
        }
    }
}
