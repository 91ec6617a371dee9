package ai.molecule.sdk.plugins;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Runs a plugin's {@code setup.sh} with bash, in the plugin's folder, for at most 120 s. A script that fails, takes too long or
 * cannot be started is told in the log and changes nothing else.
 *
 * <pre>{@code
 * boolean worked = PluginSetup.run(folder);
 * }</pre>
 */
public final class PluginSetup {

    /** What the script has at most. */
    public static final Duration TIMEOUT = Duration.ofSeconds(120);

    private static final Logger LOGGER = System.getLogger(PluginSetup.class.getName());
    private static final int OUTPUT_TAIL_BYTES = 4 * 1024;
    private static final int OUTPUT_WAIT_MILLIS = 1000;

    private PluginSetup() {}

    /** @return false when there is a script and it did not end with 0 in time */
    public static boolean run(Path folder) throws InterruptedException {
        return run(folder, TIMEOUT);
    }

    static boolean run(Path folder, Duration timeout) throws InterruptedException {
        Path script = folder.resolve("setup.sh").toAbsolutePath();
        if (!Files.isRegularFile(script, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        var builder = new ProcessBuilder("bash", script.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().remove("MOLECULE_WORKSPACE_TOKEN"); // a plugin is not the agent
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return await(process, script, timeout);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "{0} could not be started: {1}", script, e.getMessage());
            return false;
        }
    }

    private static boolean await(Process process, Path script, Duration timeout) throws InterruptedException {
        var tail = new Tail(process.getInputStream());
        tail.start();
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                LOGGER.log(Level.WARNING, "{0} did not end within {1} s and was stopped", script, timeout.toSeconds());
                return false;
            }
            if (process.exitValue() != 0) {
                tail.join(OUTPUT_WAIT_MILLIS);
                LOGGER.log(Level.WARNING, "{0} ended with {1}: {2}", script, process.exitValue(), tail.text());
            }
            return process.exitValue() == 0;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Keeps the end of what a script prints, so that it never waits for a reader. */
    private static final class Tail extends Thread {

        private final InputStream output;
        private final byte[] kept = new byte[OUTPUT_TAIL_BYTES];
        private int length;

        Tail(InputStream output) {
            super("molecule-setup-output");
            setDaemon(true);
            this.output = output;
        }

        @Override
        public void run() {
            byte[] buffer = new byte[OUTPUT_TAIL_BYTES];
            try {
                for (int read = output.read(buffer); read >= 0; read = output.read(buffer)) {
                    keep(buffer, read);
                }
            } catch (IOException killed) {
                // what was kept is what there is
            }
        }

        private synchronized void keep(byte[] bytes, int count) {
            int stay = Math.min(length, kept.length - count);
            System.arraycopy(kept, length - stay, kept, 0, stay);
            System.arraycopy(bytes, 0, kept, stay, count);
            length = stay + count;
        }

        synchronized String text() {
            return new String(kept, 0, length, StandardCharsets.UTF_8).strip();
        }
    }
}
