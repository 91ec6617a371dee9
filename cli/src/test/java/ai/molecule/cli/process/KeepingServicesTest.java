package ai.molecule.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.data.PidFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that ends while the platform runs. */
class KeepingServicesTest {

    private static final RestartPolicy AT_ONCE =
            new RestartPolicy(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(200));

    private final AtomicInteger starts = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private final List<String> said = new CopyOnWriteArrayList<>();

    @TempDir
    Path temp;

    @Test
    void a_start_that_the_machine_refuses_is_tried_again() throws IOException {
        try (var kept = supervised(2)) {
            long killed = kept.pid();

            ProcessHandle.of(killed).orElseThrow().destroyForcibly();

            await().until(() -> told.get() == 1);
            assertThat(kept.pid()).isNotEqualTo(killed);
            assertThat(kept.isAlive()).isTrue();
        }
    }

    @Test
    void one_that_cannot_be_started_for_long_is_tried_until_it_runs_and_both_is_said_once() throws IOException {
        int outage = 50;
        try (var kept = supervised(outage)) {
            ProcessHandle.of(kept.pid()).orElseThrow().destroyForcibly();

            await().until(() -> said.size() == 2);
            assertThat(starts.get()).isEqualTo(1 + outage + 1);
            assertThat(kept.isAlive()).isTrue();
            assertThat(temp.resolve("pid")).hasContent(String.valueOf(kept.pid()));
            assertThat(said)
                    .containsExactly(
                            "service has ended 3 times in a row. It is started again until it runs; service.log says why it ends.",
                            "service runs again.");
        }
    }

    @Test
    void one_that_comes_back_at_once_is_not_spoken_of() throws IOException {
        try (var kept = supervised(1)) {
            ProcessHandle.of(kept.pid()).orElseThrow().destroyForcibly();

            await().until(() -> told.get() == 1);
            assertThat(said).isEmpty();
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
                new OutageNotice("service", Path.of("service.log"), AT_ONCE, said::add),
                told::incrementAndGet);
    }
}
