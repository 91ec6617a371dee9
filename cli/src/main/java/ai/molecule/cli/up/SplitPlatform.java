package ai.molecule.cli.up;

import ai.molecule.cli.data.ClusterSecrets;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PidFile;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.process.Commands;
import ai.molecule.cli.process.Lifeline;
import ai.molecule.cli.process.OutageNotice;
import ai.molecule.cli.process.RestartPolicy;
import ai.molecule.cli.process.Supervised;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Four JVMs on this machine, clustered on loopback, each started again when it ends. */
final class SplitPlatform implements Platform {

    private final Map<Service, Supervised> processes = new EnumMap<>(Service.class);
    private final Map<Service, Integer> ports;

    private SplitPlatform(Map<Service, Integer> ports) {
        this.ports = ports;
    }

    /**
     * @param terminal where is said that a service does not stay up
     * @param afterRestart told when a service got a new process
     */
    static SplitPlatform start(
            PlatformEnvironment environment,
            DataFolder data,
            Lifeline lifeline,
            ChildJvm jvm,
            Consumer<String> terminal,
            Consumer<Platform> afterRestart)
            throws IOException {
        var ports = new EnumMap<Service, Integer>(Service.class);
        var clusterPorts = new EnumMap<Service, Integer>(Service.class);
        for (Service service : Service.values()) {
            ports.put(service, service == Service.PROXY ? environment.options().port() : Ports.free());
            clusterPorts.put(service, Ports.free());
        }
        var cluster = ClusterSecrets.load(data);
        var platform = new SplitPlatform(ports);
        try {
            for (Service service : Service.values()) {
                var variables = environment.clustered(
                        service, ports.getOrDefault(service, 0), platform.owners(), cluster, clusterPorts);
                platform.processes.put(
                        service,
                        new Supervised(
                                service.label(),
                                () -> launch(service, variables, data, lifeline, jvm),
                                new PidFile(data.pids().resolve(service.label())),
                                RestartPolicy.STANDARD,
                                new OutageNotice(
                                        service.label(), data.log(service.label()), RestartPolicy.STANDARD, terminal),
                                () -> afterRestart.accept(platform)));
            }
            return platform;
        } catch (IOException e) {
            platform.close();
            throw e;
        }
    }

    private static Process launch(
            Service service, Map<String, String> variables, DataFolder data, Lifeline lifeline, ChildJvm jvm)
            throws IOException {
        var command = new ArrayList<>(Commands.ownSession());
        command.addAll(jvm.command(service.mainClass(), data.log(service.label())));
        var log = ProcessBuilder.Redirect.appendTo(data.log(service.label()).toFile());
        var builder = new ProcessBuilder(command)
                .directory(data.root().toFile())
                .redirectInput(lifeline.asInput())
                .redirectOutput(log)
                .redirectError(log);
        builder.environment().clear();
        builder.environment().putAll(variables);
        return builder.start();
    }

    private Map<Service, Integer> owners() {
        var owners = new EnumMap<>(ports);
        owners.remove(Service.PROXY);
        return owners;
    }

    @Override
    public SequencedMap<String, RunFile.Endpoint> services() {
        var services = new TreeMap<String, RunFile.Endpoint>();
        processes.forEach((service, process) ->
                services.put(service.label(), new RunFile.Endpoint(ports.getOrDefault(service, 0), process.pid())));
        return services;
    }

    @Override
    public boolean keepsEnding(String label) {
        return processes.entrySet().stream()
                .filter(entry -> entry.getKey().label().equals(label))
                .anyMatch(entry -> entry.getValue().endsInARow() > 1);
    }

    @Override
    public void close() {
        List<Supervised> all = List.copyOf(processes.values());
        all.forEach(Supervised::ask); // all at once, then wait for each
        all.parallelStream().forEach(Supervised::close);
    }
}
