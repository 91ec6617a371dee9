package ai.molecule.cli.up;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.common.config.Env;
import ai.molecule.provisioner.backend.Adapters;
import ai.molecule.provisioner.containers.ImageNames;
import ai.molecule.provisioner.docker.DockerHost;
import ai.molecule.provisioner.docker.DockerSettings;
import ai.molecule.provisioner.process.RuntimeJar;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What {@code --backend docker} needs besides the services: an engine that answers, a network for the agents, an image of the
 * runtime, an entrance for agents on this machine's address in that network; and an end of the containers with everything else.
 */
final class Containers implements AutoCloseable {

    private static final int QUICK_SECONDS = 15;
    private static final int BUILD_SECONDS = 320;
    private static final int STOP_SECONDS = 20;

    /** Names of runtimes that one of our adapters may run. */
    private static final List<String> RUNTIMES = List.of(
            "echo",
            "delegate",
            "rehearse",
            "rehearsed",
            "langgraph",
            "deepagents",
            "crewai",
            "autogen",
            "openclaw",
            "hermes",
            "claude-code",
            "codex",
            "gemini-cli");

    private final Vertx vertx;
    private final DockerHost host;
    private final Map<String, String> environment;

    private Containers(Vertx vertx, DockerHost host, Map<String, String> environment) {
        this.vertx = vertx;
        this.host = host;
        this.environment = environment;
    }

    /**
     * Leaves the agents' containers alone: the provisioner finds them again.
     *
     * @param user the launcher's own environment
     * @throws LaunchFailure when there is no engine, or no image can be made
     */
    static Containers prepare(
            UpOptions options,
            DataFolder data,
            Map<String, String> user,
            Path dockerfile,
            Path runtimeJar,
            Console console) {
        var environment = new HashMap<>(user);
        environment.putIfAbsent("MOLECULE_PLATFORM_ID", data.platformId());
        environment.put("MOLECULE_ENV", options.mode().toString());
        environment.merge("MOLECULE_HOSTS", DockerSettings.HOST_NAME, (theirs, ours) -> theirs + "," + ours);
        var vertx = Vertx.vertx();
        try {
            var host = new DockerHost(vertx, DockerSettings.fromEnv(new Env(environment)));
            within(QUICK_SECONDS, host.ping());
            image(host, environment, dockerfile, runtimeJar, console);
            var gateway = within(QUICK_SECONDS, host.gateway());
            gateway.filter(address -> options.listensOnLoopback())
                    .ifPresent(address -> environment.put("MOLECULE_AGENTS_BIND", address));
            if (gateway.isEmpty()) {
                console.say("agents reach this platform as if they were you: this Docker runs in a machine of its own,"
                        + " so use --env production for agents you do not trust");
            }
            return new Containers(vertx, host, environment);
        } catch (IllegalArgumentException e) {
            vertx.close();
            throw LaunchFailure.usersTurn(e.getMessage() + ".");
        } catch (LaunchFailure e) {
            vertx.close();
            throw e;
        } catch (Exception e) {
            vertx.close();
            throw LaunchFailure.usersTurn("The docker backend cannot be used (" + e.getMessage()
                    + "); start Docker, or use --backend process.");
        }
    }

    /** The launcher's own environment, and what the services must know besides. */
    Map<String, String> environment() {
        return environment;
    }

    /** Stops what runs, within 20 s; what does not stop is found again by the next start. */
    @Override
    public void close() throws TimeoutException {
        try {
            host.stopAgents().await(STOP_SECONDS, TimeUnit.SECONDS);
        } finally {
            vertx.close();
        }
    }

    /** Named by what is in it, so that a new build is a new image. Those the user named are his. */
    private static void image(
            DockerHost host, Map<String, String> environment, Path dockerfile, Path runtimeJar, Console console)
            throws IOException, TimeoutException {
        var adapters = new RuntimeJar(runtimeJar).adapters();
        var ours = RUNTIMES.stream()
                .filter(runtime -> adapters.contains(Adapters.of(runtime)))
                .map(ImageNames::variableOf)
                .filter(variable -> !environment.containsKey(variable))
                .toList();
        if (ours.isEmpty()) {
            return;
        }
        var content = Files.readString(dockerfile) + HexFormat.of().formatHex(sha256(Files.readAllBytes(runtimeJar)));
        var base = Optional.ofNullable(environment.get("MOLECULE_JRE_IMAGE"));
        String name = "molecule/workspace:" + shortHash((content + base.orElse("")).getBytes(StandardCharsets.UTF_8));
        console.say("agents run the image " + name + ", which is built when it is missing");
        within(BUILD_SECONDS, host.requireImage(name, dockerfile, runtimeJar, base));
        ours.forEach(variable -> environment.put(variable, name));
    }

    private static <T> T within(int seconds, Future<T> answer) throws TimeoutException {
        return answer.await(seconds, TimeUnit.SECONDS);
    }

    private static String shortHash(byte[] bytes) {
        return HexFormat.of().formatHex(sha256(bytes)).substring(0, 12);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
