package ai.molecule.cli.up;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.ClusterSecrets;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.demo.Demo;
import ai.molecule.cli.demo.DemoOrganisation;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.common.cluster.ClusterConfig;
import ai.molecule.common.cluster.ClusteredVertx;
import ai.molecule.common.config.Env;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Starts and stops everything once, so that the JVM can write down which classes that takes ({@code -XX:AOTCacheOutput}). The
 * script runs it after a build; later starts of the launcher and of every service need about half the time and processor.
 */
@Command(name = "rehearse", hidden = true)
public final class RehearseCommand implements Callable<Integer> {

    private static final int CLUSTER_SECONDS = 30;

    @Parameters(index = "0", paramLabel = "DIR")
    private Path folder = Path.of("");

    private final Console console;
    private final MoleculeHome home;

    public RehearseCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws IOException, TimeoutException {
        var data = DataFolder.open(folder);
        Logs.into(data);
        var options = new UpOptions(
                0, data.root(), "127.0.0.1", UpOptions.Backend.NONE, true, false, UpOptions.Mode.DEVELOPMENT);
        try (var teardown = new Teardown()) {
            Runtime.getRuntime().addShutdownHook(new Thread(teardown::close, "stop"));
            var running = new Launch(
                            options,
                            data,
                            Map.of(),
                            home.runtimeJar(),
                            home.dockerfile(),
                            console,
                            teardown,
                            Supervision.none())
                    .start();
            try (var api = new PlatformApi(running.url(), Optional.empty(), Optional.empty())) {
                new DemoOrganisation(api, running.url(), console, Demo.SMALL, Duration.ZERO).show();
            }
            joinACluster(data);
        }
        return 0;
    }

    /** Services of their own need Hazelcast's classes too, and those of TLS. */
    private static void joinACluster(DataFolder data) throws IOException, TimeoutException {
        int port = Ports.free();
        Map<String, String> env = new HashMap<>(Map.of(
                "MOLECULE_CLUSTER",
                "tcp",
                "MOLECULE_CLUSTER_PORT",
                Integer.toString(port),
                "MOLECULE_CLUSTER_MEMBERS",
                "127.0.0.1:" + port));
        ClusterSecrets.load(data).variables().forEach((variable, file) -> env.put(variable + "_FILE", file.toString()));
        var vertx = ClusteredVertx.start(ClusterConfig.fromEnv(new Env(env))).await(CLUSTER_SECONDS, TimeUnit.SECONDS);
        vertx.close().await(CLUSTER_SECONDS, TimeUnit.SECONDS);
    }
}
