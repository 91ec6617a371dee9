package ai.molecule.system;

import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/** A running platform with a data folder of its own, started by the launcher. */
public final class Platform extends PlatformApi implements AutoCloseable {

    static final Duration STOP_LIMIT = Duration.ofMinutes(3);

    private final Path data;
    private final Path out;
    private final Path err;
    private final Process process;
    final Duration startTime;

    private Platform(Path data, Path out, Path err, Process process, String url, String bearer, Duration startTime) {
        super(url, bearer);
        this.data = data;
        this.out = out;
        this.err = err;
        this.process = process;
        this.startTime = startTime;
    }

    /** Answers once the ready line is out. */
    public static Platform up(Path data, String... options) {
        return up(Map.of(), TestStores.freePort(), data, options);
    }

    /** An {@code ADMIN_TOKEN} in the environment is what its calls show. */
    public static Platform up(Map<String, String> environment, Path data, String... options) {
        return up(environment, TestStores.freePort(), data, options);
    }

    /** By the launcher of another version, which builds itself. */
    public static Platform upBy(Path script, Path data, String... options) {
        return up(script, Map.of(), TestStores.freePort(), data, options);
    }

    /** On a port of the caller's choice: for a platform that goes away and comes back. */
    public static Platform up(int port, Path data, String... options) {
        return up(Map.of(), port, data, options);
    }

    /** The two above together. */
    public static Platform up(Map<String, String> environment, int port, Path data, String... options) {
        return up(Launcher.SCRIPT, environment, port, data, options);
    }

    private static Platform up(Path script, Map<String, String> environment, int port, Path data, String... options) {
        try {
            Path out = Files.createTempFile("molecule-up-out", ".txt");
            Path err = Files.createTempFile("molecule-up-err", ".txt");
            List<String> arguments =
                    new ArrayList<>(List.of("up", "--port", String.valueOf(port), "--data", data.toString()));
            arguments.addAll(Arrays.asList(options));
            UnpackedServers.into(data.resolve("binaries"));
            if (script.equals(Launcher.SCRIPT)) { // an older one has not the tables of this one
                StartedBefore.into(data, environment, arguments);
            }
            long start = System.nanoTime();
            var process = Launcher.start(script, environment, out, err, arguments.toArray(String[]::new));
            String line = readyLine(process, out);
            if (!line.startsWith("molecule ready: ")) {
                process.destroy();
                throw new AssertionError("no ready line: " + line + "\n" + Files.readString(err));
            }
            var platform = new Platform(
                    data,
                    out,
                    err,
                    process,
                    line.substring("molecule ready: ".length()),
                    environment.get("ADMIN_TOKEN"),
                    Duration.ofNanos(System.nanoTime() - start));
            KeepingLogs.begin(platform);
            return platform;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** What the launcher says first; anything else than the ready line once it ended or its time is over. */
    static String readyLine(Process process, Path out) {
        try {
            await().until(() -> !process.isAlive() || Files.readString(out).endsWith("\n"));
        } catch (ConditionTimeoutException late) {
            return late.getMessage();
        }
        return read(out).trim();
    }

    /** Everything that went to standard output so far. */
    String standardOutput() {
        return read(out);
    }

    public String standardError() {
        return read(err);
    }

    public Path data() {
        return data;
    }

    /** The JVM of the platform, which keeps the servers and services; the launcher is its parent. */
    public long platformPid() {
        return Long.parseLong(read(data.resolve("lock")).strip());
    }

    /** The agent's process, by what stands in its command line: programs that it runs have its environment, and may have a lower number. */
    public ProcessHandle agentProcess(String workspaceId) {
        return agentProcesses()
                .filter(agent -> commandLineOf(agent).contains("-Dmolecule.workspace=" + workspaceId))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no process runs workspace " + workspaceId));
    }

    /** Every process that belongs to this platform: its data folder stands in the command line or the environment. */
    public Stream<ProcessHandle> processes() {
        String mark = data.toString();
        return ProcessHandle.allProcesses()
                .filter(ProcessHandle::isAlive)
                .filter(one -> one.pid() != ProcessHandle.current().pid())
                .filter(one ->
                        environmentOf(one).contains(mark) || commandLineOf(one).contains(mark));
    }

    /** The process of this platform whose command line holds {@code word}. */
    public Optional<ProcessHandle> processWith(String word) {
        return processes().filter(one -> commandLineOf(one).contains(word)).findFirst();
    }

    Stream<ProcessHandle> agentProcesses() {
        return processes().filter(one -> environmentOf(one).contains("WORKSPACE_ID="));
    }

    void killLauncher() {
        process.destroyForcibly();
    }

    /** Asks the launcher to stop and waits until no process of this platform is left. */
    @Override
    public void close() {
        KeepingLogs.end(this);
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("launcher still running\n" + standardError());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
        awaitNothingLeft(STOP_LIMIT);
    }

    void awaitNothingLeft(Duration limit) {
        await().atMost(limit).until(() -> processes().findAny().isEmpty());
    }

    private static String environmentOf(ProcessHandle process) {
        return proc(process, "environ");
    }

    private static String commandLineOf(ProcessHandle process) {
        return proc(process, "cmdline");
    }

    private static String proc(ProcessHandle process, String file) {
        try {
            return Files.readString(
                    Path.of("/proc", String.valueOf(process.pid()), file),
                    java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
