package ai.molecule.cli.up;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The launcher's script, which is the parent of this JVM and starts it again when it ended by itself. It holds the lifeline too, so agents
 * survive this JVM; and this JVM ends with it. The script says all of it as system properties.
 *
 * @param script its process id, {@code molecule.launcher}; 0 where there is none: this JVM is then the launcher
 * @param told where the script listens, {@code molecule.told}; null when it knows all
 * @param before what an earlier JVM of this script held, {@code molecule.again}; null at its first
 */
record Supervision(
        long script, @Nullable Path told, @Nullable Held before) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Supervision.class);

    /**
     * What agents know of the platform, and so has to stay as it is.
     *
     * @param agentsPort where they come in if not at {@code port}
     */
    record Held(int port, int agentsPort, Path lifeline) {

        static Held parse(String line) {
            var words = line.split(" ", 3);
            return new Held(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Path.of(words[2]));
        }

        String line() {
            return port + " " + agentsPort + " " + lifeline;
        }
    }

    static Supervision none() {
        return new Supervision(0, null, null);
    }

    static Supervision fromSystemProperties() {
        String told = System.getProperty("molecule.told", "");
        String again = System.getProperty("molecule.again", "");
        return new Supervision(
                Long.getLong("molecule.launcher", 0),
                told.isEmpty() ? null : Path.of(told),
                again.isEmpty() ? null : Held.parse(again));
    }

    boolean isThere() {
        return script != 0;
    }

    /** What an earlier JVM held; empty at a first start. */
    Optional<Held> again() {
        return Optional.ofNullable(before);
    }

    /** Ends this JVM at once when the script is gone: the watchdog stops the rest then, as when a launcher is killed. */
    void endWithScript() {
        if (isThere()) {
            Thread.ofPlatform().daemon().name("launcher").start(() -> {
                try {
                    while (System.in.read() >= 0) {
                        // nothing is ever said
                    }
                } catch (IOException e) {
                    LOGGER.atWarn().setCause(e).log("the launcher cannot be heard");
                }
                Runtime.getRuntime().halt(1);
            });
        }
    }

    /** To be said before anything is started that lives by the lifeline. */
    void holds(Held held) throws IOException {
        tell(held.line());
    }

    /** From now on a JVM that ends by itself is started again. */
    void ready() throws IOException {
        tell("ready");
    }

    private void tell(String line) throws IOException {
        if (told != null) {
            try (var out = new FileOutputStream(told.toFile())) {
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
