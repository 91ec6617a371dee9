package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.embedded.LogTail;
import ai.molecule.cli.http.PlatformApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Waits until every service says it can do its work. */
final class Readiness {

    /** As generous as an agent's: with other work beside it, four cold services took over a minute on two cores. */
    private static final Duration DEADLINE = Duration.ofSeconds(180);

    private static final Duration PAUSE = Duration.ofMillis(50);

    private Readiness() {}

    /** @throws LaunchFailure with the end of the log of the first service that is not ready after 180 s or keeps ending */
    static void await(Platform platform, DataFolder data) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        var waiting = new ArrayList<>(platform.services().entrySet());
        while (!waiting.isEmpty()) {
            waiting.removeIf(service -> isReady(service.getValue().port()));
            for (var service : waiting) {
                boolean late = System.nanoTime() - deadline > 0;
                if (late || platform.keepsEnding(service.getKey())) {
                    throw LaunchFailure.broken("The " + service.getKey() + " service "
                            + (late ? "is not ready after " + DEADLINE.toSeconds() + " s" : "keeps ending")
                            + "; its log says:" + LogTail.below(logOf(service.getKey(), data), 10));
                }
            }
            if (!waiting.isEmpty()) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private static boolean isReady(int port) {
        try (var api = new PlatformApi("http://127.0.0.1:" + port, Optional.empty(), Optional.empty())) {
            return api.answers("/ready");
        }
    }

    private static Path logOf(String service, DataFolder data) {
        Path own = data.log(service);
        return Files.exists(own) ? own : data.log("molecule");
    }
}
