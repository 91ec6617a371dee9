package ai.molecule.system.faults;

import ai.molecule.system.Platform;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A further replica of a service beside the one that the launcher started with {@code --split}: same program, same variables, ports of its own. */
final class Replica implements AutoCloseable {

    private final Process process;
    final Client client;

    private Replica(Process process, int port) {
        this.process = process;
        this.client = new Client("http://127.0.0.1:" + port);
    }

    /** @param service as it is called in {@code REGISTRY_PORT} and {@code registry.log} */
    static Replica beside(String service, ProcessHandle first, Path data) throws IOException {
        int port = Platform.freePort();
        List<String> command = new ArrayList<>();
        for (String word : proc(first, "cmdline")) {
            command.add(word.replace(service + ".log", service + "-2.log"));
        }
        var builder = new ProcessBuilder(command)
                .directory(data.toFile())
                .redirectErrorStream(true)
                .redirectOutput(data.resolve(service + "-2.out").toFile());
        builder.environment().clear();
        builder.environment().putAll(variables(first));
        builder.environment().put(portOf(service), String.valueOf(port));
        builder.environment().put("MOLECULE_CLUSTER_PORT", String.valueOf(Platform.freePort()));
        return new Replica(builder.start(), port);
    }

    /** Where the launcher's own listens. */
    static Client clientOf(String service, ProcessHandle first) throws IOException {
        return new Client("http://127.0.0.1:" + variables(first).get(portOf(service)));
    }

    private static String portOf(String service) {
        return service.toUpperCase(Locale.ROOT) + "_PORT";
    }

    boolean isReady() {
        try {
            return client.get("/ready").good();
        } catch (IOException notYet) {
            return false;
        }
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
