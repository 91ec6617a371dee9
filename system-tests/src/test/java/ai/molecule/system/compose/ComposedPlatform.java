package ai.molecule.system.compose;

import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.system.PlatformApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/** The platform as {@code docker-compose.yml} describes it, under a name and with secrets of its own, until it is closed. */
final class ComposedPlatform extends PlatformApi implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    private final Shell shell;
    private final List<String> compose;
    private final String name;

    private ComposedPlatform(String url, String bearer, Shell shell, List<String> compose, String name) {
        super(url, bearer);
        this.shell = shell;
        this.compose = compose;
        this.name = name;
    }

    /** Nothing is started yet, but the secrets are there. */
    static ComposedPlatform prepare(Path root, Path secrets, String version, Map<String, String> images)
            throws IOException {
        new Shell(root, Map.of()).run(root.resolve("docker/make-secrets").toString(), secrets.toString());
        String name = "molecule-it-" + UUID.randomUUID().toString().substring(0, 8);
        int port = TestStores.freePort();
        var environment = new HashMap<>(images);
        environment.put("MOLECULE_SECRETS", secrets.toString());
        environment.put("MOLECULE_PORT", "127.0.0.1:" + port);
        environment.put("MOLECULE_VERSION", version);
        environment.put("MOLECULE_PLATFORM_ID", name);
        environment.put(
                "DOCKER_GROUP",
                Files.getAttribute(Path.of("/var/run/docker.sock"), "unix:gid").toString());
        var shell = new Shell(root, environment);
        String token = Files.readString(secrets.resolve("admin_token")).strip();
        return new ComposedPlatform("http://127.0.0.1:" + port, token, shell, command(shell, name), name);
    }

    /** Answers once the front door is ready. */
    void up() {
        compose("up", "-d");
        try {
            awaitReady();
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(compose("logs", "--tail", "20"), late);
        }
    }

    /** What is said by whoever starts it. */
    Shell.Ended tryUp() {
        return shell.tryToRun(and(compose, "up", "-d"));
    }

    /** Whichever compose command there is; empty when there is none. */
    static List<String> command(Shell shell) {
        return Stream.of(List.of("docker", "compose"), List.of("docker-compose"))
                .filter(command -> shell.tryToRun(and(command, "version")).exitCode() == 0)
                .findFirst()
                .orElse(List.of());
    }

    private static List<String> command(Shell shell, String project) {
        return List.of(and(command(shell), "--project-name", project));
    }

    private void awaitReady() {
        await().atMost(START_LIMIT).ignoreExceptions().until(() -> get("/workspaces") != null);
    }

    /** Ends a service as a crash does: its process is gone, nobody asked the engine for it. */
    void kill(String service) {
        String container = compose("ps", "-q", service);
        long pid = Long.parseLong(shell.run("docker", "inspect", "-f", "{{.State.Pid}}", container));
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        await().atMost(START_LIMIT)
                .until(() -> !shell.run("docker", "inspect", "-f", "{{.State.Pid}}", container)
                        .equals(String.valueOf(pid)));
    }

    /** Since when a workspace's container has been running. */
    String startOfAgent(String workspaceId) {
        String container = shell.run("docker", "ps", "-q", "--filter", "label=molecule.workspace.id=" + workspaceId);
        return shell.run("docker", "inspect", "-f", "{{.State.StartedAt}}", container);
    }

    String compose(String... arguments) {
        return shell.run(and(compose, arguments));
    }

    /** Removes the agents first: compose does not know them, and their network is one of its own. */
    @Override
    public void close() {
        shell.tryToRun(and(compose, "stop", "-t", "20", "provisioner"));
        remove("ps", "rm", "-f");
        remove("volume ls", "volume", "rm", "-f");
        compose("down", "-v", "-t", "5");
    }

    private void remove(String list, String... how) {
        var all = shell.run(and(
                        Stream.concat(Stream.of("docker"), Arrays.stream(list.split(" ")))
                                .toList(),
                        list.equals("ps") ? "-aq" : "-q",
                        "--filter",
                        "label=molecule.platform.id=" + name))
                .lines()
                .toArray(String[]::new);
        if (all.length > 0) {
            shell.run(and(Stream.concat(Stream.of("docker"), Arrays.stream(how)).toList(), all));
        }
    }

    private static String[] and(List<String> words, String... more) {
        return Stream.concat(words.stream(), Arrays.stream(more)).toArray(String[]::new);
    }
}
