package ai.molecule.system.faults;

import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Two replicas of each service but the front door: the launcher's, which it starts again itself, and one beside it. */
final class Owners implements AutoCloseable {

    /** A door is told to leave for longer than whoever sends requests there takes to learn of it: 3 s and a look every 200 ms, on a busy machine. */
    private static final String DOOR_DRAIN_SECONDS = "15";

    private static final Map<String, String> PROGRAMS =
            Map.of("registry", "RegistryMain", "events", "EventsMain", "provisioner", "ProvisionerMain");

    private final Platform platform;
    private final Path data;
    private final ProcessHandle proxy;
    private final Map<String, ProcessHandle> first = new LinkedHashMap<>();
    private final Map<String, Client> firstClients = new LinkedHashMap<>();
    private final Map<String, Replica> second = new LinkedHashMap<>();

    Owners(Platform platform, Path data) throws IOException {
        this.platform = platform;
        this.data = data;
        this.proxy = platform.processWith("ProxyMain").orElseThrow();
        for (String service : PROGRAMS.keySet()) {
            var process = platform.processWith(PROGRAMS.get(service)).orElseThrow();
            first.put(service, process);
            firstClients.put(service, Replica.clientOf(service, process));
            second.put(service, Replica.beside(service, process, data));
        }
    }

    /** A front door that knows both replicas of each. */
    Replica door(int number) throws IOException {
        return Replica.beside(
                "proxy",
                number + 1,
                proxy,
                data,
                Map.of(
                        "REGISTRY_URL", urls("registry"),
                        "EVENTS_URL", urls("events"),
                        "PROVISIONER_URL", urls("provisioner"),
                        "MOLECULE_DRAIN_SECONDS", DOOR_DRAIN_SECONDS));
    }

    boolean areReady() {
        return second.values().stream().allMatch(Replica::isReady)
                && firstClients.values().stream().allMatch(Client::isReady);
    }

    void restartBoth(String service) throws IOException {
        restartSecond(service);
        var process = first.get(service);
        process.destroy();
        await().until(() -> !process.isAlive() && firstClients.get(service).isReady());
    }

    /** Of the jars of {@code libraries}, a folder. */
    void restartSecondFrom(Path libraries, String service) throws IOException {
        second.get(service).runFrom(libraries);
        restartSecond(service);
    }

    private void restartSecond(String service) throws IOException {
        second.get(service).restart();
        await().until(second.get(service)::isReady);
    }

    private String urls(String service) {
        return firstClients.get(service).url + "," + second.get(service).client.url;
    }

    @Override
    public void close() {
        second.values().forEach(Replica::close);
    }
}
