package ai.molecule.system.faults;

import ai.molecule.common.testing.TestStores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A further replica of a service beside the one that the launcher started with {@code --split}: same program, same variables, ports of its own. */
final class Replica implements AutoCloseable {

    private static final long STOP_SECONDS = 90;

    private final ProcessBuilder program;
    private Process process;
    final Client client;

    private Replica(ProcessBuilder program, int port) throws IOException {
        this.program = program;
        this.process = program.start();
        this.client = new Client("http://127.0.0.1:" + port);
    }

    /** @param service as it is called in {@code REGISTRY_PORT} and {@code registry.log} */
    static Replica beside(String service, ProcessHandle first, Path data) throws IOException {
        return beside(service, 2, first, data, Map.of());
    }

    /**
     * @param number for its log
     * @param different variables that are not as the first one has them
     */
    static Replica beside(String service, int number, ProcessHandle first, Path data, Map<String, String> different)
            throws IOException {
        int port = TestStores.freePort();
        List<String> command = new ArrayList<>();
        for (String word : proc(first, "cmdline")) {
            command.add(word.replace(service + ".log", service + "-" + number + ".log"));
        }
        var builder = new ProcessBuilder(command)
                .directory(data.toFile())
                .redirectErrorStream(true)
                .redirectOutput(data.resolve(service + "-" + number + ".out").toFile());
        builder.environment().clear();
        builder.environment().putAll(variables(first));
        builder.environment().put(portOf(service), String.valueOf(port));
        builder.environment().put("MOLECULE_CLUSTER_PORT", String.valueOf(TestStores.freePort()));
        builder.environment().putAll(different);
        return new Replica(builder, port);
    }

    /** Asks it to end, as whoever deploys does, and starts it again on the same ports. */
    void restart() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + STOP_SECONDS + " s");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        process = program.start();
    }

    /** From its next start on it runs what the jars of a folder hold: another version. */
    void runFrom(Path libraries) {
        program.command()
                .set(
                        program.command().indexOf("-cp") + 1,
                        libraries.resolve("*").toString());
    }

    /** Where the launcher's own listens. */
    static Client clientOf(String service, ProcessHandle first) throws IOException {
        return new Client("http://127.0.0.1:" + variables(first).get(portOf(service)));
    }

    private static String portOf(String service) {
        return service.equals("proxy") ? "PORT" : service.toUpperCase(Locale.ROOT) + "_PORT";
    }

    boolean isReady() {
        return client.isReady();
    }

    /** Of a running service. */
    static Map<String, String> variables(ProcessHandle process) throws IOException {
        Map<String, String> variables = new HashMap<>();
        for (String line : proc(process, "environ")) {
            int equals = line.indexOf('=');
            variables.put(line.substring(0, equals), line.substring(equals + 1));
        }
        return variables;
    }

    private static List<String> proc(ProcessHandle process, String file) throws IOException {
        var path = Path.of("/proc", String.valueOf(process.pid()), file);
        return List.of(Files.readString(path, StandardCharsets.UTF_8).split("\0"));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
