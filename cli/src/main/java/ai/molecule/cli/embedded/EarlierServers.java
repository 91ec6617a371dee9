package ai.molecule.cli.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Servers that outlived their launcher and its watchdog, as after a crash of the machine's session. */
public final class EarlierServers {

    private static final Duration GRACE = Duration.ofSeconds(5);

    private EarlierServers() {}

    /** Stops them and forgets their process ids, so that nobody later signals whoever got the numbers since. */
    public static void stop(Path binaries, Path postgres, Path redis) throws IOException {
        stop(postgres.resolve("postmaster.pid"), binaries, "INT");
        stop(redis.resolve("redis.pid"), binaries, "TERM");
    }

    private static void stop(Path pidFile, Path binaries, String signal) throws IOException {
        LeftOver.find(pidFile, binaries).ifPresent(process -> LeftOver.stop(process, signal, GRACE));
        Files.deleteIfExists(pidFile);
    }
}
