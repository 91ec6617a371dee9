package ai.molecule.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.data.PidFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that ends while the platform runs. */
class KeepingServicesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RestartPolicy AT_ONCE =
            new RestartPolicy(Duration.ofMillis(1), Duration.ofMillis(1), 3, Duration.ofMinutes(1));

    private final AtomicInteger starts = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();

    @TempDir
    Path temp;

    @Test
    void a_start_that_the_machine_refuses_is_tried_again() throws IOException {
        try (var kept = supervised(2)) {
            long killed = kept.pid();

            ProcessHandle.of(killed).orElseThrow().destroyForcibly();

            await().atMost(PATIENCE).until(() -> told.get() == 1);
            assertThat(kept.pid()).isNotEqualTo(killed);
            assertThat(kept.isAlive()).isTrue();
        }
    }

    @Test
    void one_that_never_starts_is_given_up_and_leaves_no_process_id_behind() throws IOException {
        try (var kept = supervised(Integer.MAX_VALUE)) {
            ProcessHandle.of(kept.pid()).orElseThrow().destroyForcibly();

            await().atMost(PATIENCE).until(() -> starts.get() == 1 + AT_ONCE.attempts());
            assertThat(temp.resolve("pid")).doesNotExist();
        }
    }

    /** @param refused how many starts fail after the first */
    private Supervised supervised(int refused) throws IOException {
        return new Supervised(
                "service",
                () -> {
                    int nth = starts.getAndIncrement();
                    if (nth > 0 && nth <= refused) {
                        throw new IOException("no more processes");
                    }
                    return new ProcessBuilder("sleep", "600").start();
                },
                new PidFile(temp.resolve("pid")),
                AT_ONCE,
                told::incrementAndGet);
    }
}
