package ai.molecule.runtime.commands;

import ai.molecule.runtime.processes.ProcessRoom;
import ai.molecule.runtime.processes.ProcessTree;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a command. Whatever ends it, all that it started ends with it. */
final class BoundedCommand {

    static final ProcessBuilder.Redirect NOTHING = ProcessBuilder.Redirect.from(new File("/dev/null"));

    /** At a time; more end the command. */
    static final int PROCESSES_MAX = 128;

    /** Written altogether; more ends the command. */
    static final int OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(BoundedCommand.class);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(50);

    /** Counting its processes reads what the system knows of every process of the machine: once a second. */
    static final int LOOKS_PER_COUNT = 20;

    private static final Duration REST = Duration.ofSeconds(2);
    private static final int BUFFER_BYTES = 8192;

    private final Process process;
    private final ProcessTree tree;
    private final ToLongFunction<Process> counting;
    private final KeptOutput output = new KeptOutput();

    private BoundedCommand(Process process, ProcessTree tree, ToLongFunction<Process> counting) {
        this.process = process;
        this.tree = tree;
        this.counting = counting;
    }

    /** @throws IOException when it cannot be started */
    static BoundedCommand start(List<String> words, Path folder, Map<String, String> environment) throws IOException {
        return start(
                words, folder, environment, running -> running.descendants().count());
    }

    /** @param counting how many processes it has started that still run */
    static BoundedCommand start(
            List<String> words, Path folder, Map<String, String> environment, ToLongFunction<Process> counting)
            throws IOException {
        String mark = UUID.randomUUID().toString();
        var builder = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(NOTHING);
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().put("MOLECULE_COMMAND_RUN", mark);
        Process process = builder.start();
        return new BoundedCommand(process, new ProcessTree(process, "MOLECULE_COMMAND_RUN=" + mark), counting);
    }

    /** What it wrote, and how it ended. */
    String await(Duration timeout, ProcessRoom room) throws InterruptedException {
        Thread reader = Thread.ofVirtual().name("command-output").start(this::read);
        try {
            String end = end(timeout, room);
            kill(); // whoever it left behind, and holds the pipe
            boolean _ = reader.join(REST);
            return output.text() + "\n[" + end + "]";
        } finally {
            kill();
            process.destroyForcibly(); // closes the pipe, whoever still holds it and whatever is unread
        }
    }

    /** The first of them at once: where it has a namespace, the system ends the others with it, however many there are. */
    private void kill() {
        process.toHandle().destroyForcibly();
        tree.kill();
    }

    private String end(Duration timeout, ProcessRoom room) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        for (int look = 1; !process.waitFor(LOOK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS); look++) {
            if (System.nanoTime() - deadline > 0) {
                return "ended after " + timeout.toSeconds() + " s, its time was over";
            }
            if (room.isTaken()) {
                return "ended, what it had started left no room for the agent";
            }
            if (look % LOOKS_PER_COUNT == 0 && counting.applyAsLong(process) > PROCESSES_MAX) {
                return "ended, it had started more than " + PROCESSES_MAX + " processes";
            }
            if (output.bytes() > OUTPUT_MAX_BYTES) {
                return "ended, it had written more than 16 MiB";
            }
        }
        return "exit code " + process.exitValue();
    }

    private void read() {
        try (InputStream in = process.getInputStream()) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                output.add(buffer, length);
            }
        } catch (IOException closed) {
            LOGGER.atDebug().setCause(closed).log("the output of a command broke off");
        }
    }
}
