package ai.molecule.cli.up;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.PidFile;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.embedded.EarlierServers;
import ai.molecule.cli.ports.HeldPorts;
import ai.molecule.cli.process.Lifeline;
import ai.molecule.cli.process.Watchdog;
import ai.molecule.cli.up.Supervision.Held;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One start of the platform, step by step; what has been started is remembered in the {@link Teardown}. */
final class Launch {

    private final DataFolder data;
    private final Map<String, String> user;
    private final Path runtimeJar;
    private final Path dockerfile;
    private final Console console;
    private final Teardown teardown;
    private final Supervision supervision;
    private UpOptions options;
    private volatile Runnable rewriteRunFile = () -> {};

    /**
     * @param user the launcher's own environment
     * @param runtimeJar what agents run
     * @param dockerfile makes an image of it
     * @param supervision whether a script starts this JVM again, and what an earlier one held
     */
    Launch(
            UpOptions options,
            DataFolder data,
            Map<String, String> user,
            Path runtimeJar,
            Path dockerfile,
            Console console,
            Teardown teardown,
            Supervision supervision) {
        this.options = options;
        this.data = data;
        this.user = user;
        this.runtimeJar = runtimeJar;
        this.dockerfile = dockerfile;
        this.console = console;
        this.teardown = teardown;
        this.supervision = supervision;
    }

    /**
     * Returns when every service is ready.
     *
     * @throws LaunchFailure with the sentence for the user; the caller then closes the teardown
     */
    RunFile start() throws IOException {
        takeFolder();
        teardown.add("logs", PrintedLogs.keep(data));
        var before = supervision.again();
        int agentsPort = before.isPresent() ? before.get().agentsPort() : Ports.free();
        var held = takePorts(agentsPort);
        var secrets = Secrets.load(data, options.mode() == UpOptions.Mode.PRODUCTION, user);
        var lifeline = openLifeline(agentsPort);
        if (held.isPresent()) {
            held.get().keep(lifeline);
        }

        var surroundings = surroundings(agentsPort, held.isPresent());

        boolean production = options.mode() == UpOptions.Mode.PRODUCTION;
        console.say("starting the stores");
        var stores = Stores.open(data, secrets, user, production, console::say, () -> rewriteRunFile.run());
        teardown.add("stores", stores);
        if (!stores.hasRedis()) {
            console.say(Stores.WITHOUT_REDIS);
        }

        console.say("starting the services" + (options.split() ? ", each in a process of its own" : ""));
        var environment = new PlatformEnvironment(
                options, data, secrets, surroundings, stores.databaseUrl(), stores.redisUrl(), runtimeJar);
        var platform = options.split()
                ? SplitPlatform.start(
                        environment,
                        data,
                        lifeline,
                        ChildJvm.likeThis(user),
                        console::say,
                        restarted -> record(restarted, stores))
                : OneJvmPlatform.start(environment);
        teardown.add("services", platform);
        Readiness.await(platform, data);
        rewriteRunFile = () -> record(platform, stores);
        var running = record(platform, stores);
        supervision.ready();
        return running;
    }

    /** The environment of the services, with what containers need added, and where processes come in that are not trusted. */
    private Map<String, String> surroundings(int agentsPort, boolean held) throws IOException {
        if (options.backend() != UpOptions.Backend.DOCKER) {
            var door = PlatformEnvironment.withAgentsDoor(user, options, agentsPort);
            return held ? PlatformEnvironment.withHeldPorts(door, options.port(), agentsPort) : door;
        }
        var containers = Containers.prepare(options, data, user, dockerfile, runtimeJar, console);
        teardown.add("containers", containers);
        return containers.environment();
    }

    private void takeFolder() throws IOException {
        var lock = FolderLock.tryAcquire(data.lock())
                .orElseThrow(() -> alreadyRunning(FolderLock.holder(data.lock()).orElse(-1)));
        teardown.add("lock", lock);
        var launcher = data.launcher().living().map(ProcessHandle::pid);
        if (launcher.isPresent() && launcher.get() != supervision.script()) {
            throw alreadyRunning(launcher.get()); // and is about to start its JVM again
        }
        if (supervision.again().isEmpty()) {
            Watchdog.awaitEarlier(data); // else it is at its post until this JVM has one of its own
        }
        EarlierServers.stop(data.binaries(), data.postgres(), data.redis());
        EarlierChildren.stop(data.pids());
        Files.deleteIfExists(data.runFile());
    }

    private LaunchFailure alreadyRunning(long pid) {
        String where = RunFile.read(data.runFile())
                .filter(running -> running.pid() == pid)
                .map(running -> " at " + running.url())
                .orElse("");
        return LaunchFailure.usersTurn("Molecule is already running in " + data.root() + where + " (process " + pid
                + "); stop it with ./molecule down, or choose another folder with --data.");
    }

    /** Whether agents of this machine are users of their own, who could listen in the platform's place while it is started again. */
    private boolean holdsPorts() {
        return options.mode() == UpOptions.Mode.PRODUCTION
                && options.backend() == UpOptions.Backend.PROCESS
                && !"1".equals(user.get(PlatformConfig.TRUST_AGENTS));
    }

    private Optional<HeldPorts> takePorts(int agentsPort) throws IOException {
        supervision.again().ifPresent(before -> options = options.withPort(before.port())); // agents know it
        if (options.port() == 0) {
            options = options.withPort(Ports.free());
        }
        if (!holdsPorts()) {
            PortHolder.requireFree(options.bind(), options.port());
            return Optional.empty();
        }
        var host = InetAddress.getByName(options.bind());
        var addresses = List.of(new InetSocketAddress(host, options.port()), new InetSocketAddress(host, agentsPort));
        try {
            var held = HeldPorts.take(data, addresses);
            teardown.add("ports", held);
            return Optional.of(held);
        } catch (IOException e) {
            PortHolder.requireFree(options.bind(), options.port()); // says who has it
            throw e;
        }
    }

    private Lifeline openLifeline(int agentsPort) throws IOException {
        var before = supervision.again();
        var lifeline = before.isPresent()
                ? Lifeline.join(before.get().lifeline())
                : Lifeline.open(data.lifeline(), supervision.isThere());
        supervision.holds(new Held(options.port(), agentsPort, lifeline.path()));
        var own = new PidFile(data.pids().resolve("platform"));
        if (supervision.isThere()) { // else its end is that of the lifeline
            data.launcher().write(supervision.script());
            own.write(ProcessHandle.current().pid());
        }
        var watchdog = Watchdog.start(data, lifeline);
        // Closing the lifeline is what ends everything else; the watchdog's end says that it has ended.
        teardown.add("servers and agents", () -> {
            own.delete(); // it shall not be waited for
            watchdog.expectEnd();
            lifeline.close();
            watchdog.close();
            Files.deleteIfExists(data.runFile());
            Files.deleteIfExists(data.lifeline());
            data.launcher().delete();
        });
        return lifeline;
    }

    /** Writes down where everything is; once when ready, and again whenever a service got a new process. */
    private RunFile record(Platform platform, Stores stores) {
        var running = new RunFile(
                options.url(options.port()),
                ProcessHandle.current().pid(),
                options.split(),
                platform.services(),
                stores.servers());
        try {
            running.write(data.runFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return running;
    }
}
