package ai.molecule.runtime;

import ai.molecule.runtime.a2a.CallerProof;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.TokenStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Everything the runtime reads from its environment, read once at start.
 *
 * @param workspaceId {@code WORKSPACE_ID}, required
 * @param configFolder {@code WORKSPACE_CONFIG_PATH}, default {@code /configs}: where {@code config.yaml} is
 * @param tokenFolder {@code CONFIGS_DIR}, default the config folder: where {@code .auth_token} is
 * @param workspaceFolder {@code MOLECULE_WORKSPACE_FOLDER}, default where the process was started, which in a container is
 *     {@code /workspace}: what the agent works on, and where the files are that messages name as {@code /workspace/...}
 * @param snapshotFile {@code AGENT_SNAPSHOT_PATH}, default {@code .agent_snapshot.json} in the config folder
 * @param delegationResultsFile {@code DELEGATION_RESULTS_FILE}, default {@code .delegation_results.jsonl} in the config
 *     folder: what came of delegations and has not been told to the agent yet
 * @param platformUrl {@code PLATFORM_URL}, else {@code MOLECULE_URL}, else port 8080 of the machine, which a container reaches
 *     as {@code host.docker.internal}
 * @param host {@code MOLECULE_AGENT_HOST}, default {@code 127.0.0.1}: the address to listen on
 * @param advertisedHost the name others reach the agent by: the host, or {@code HOSTNAME} when it listens everywhere
 * @param runtime {@code MOLECULE_RUNTIME}: goes before {@code runtime} of the config, which the platform does not rewrite
 * @param adapter {@code MOLECULE_ADAPTER}: goes before {@code runtime} of the config, which is then only what was asked for
 * @param port {@code MOLECULE_AGENT_PORT}: goes before {@code a2a.port} of the config; 0 lets the system choose
 * @param heartbeatInterval {@code MOLECULE_HEARTBEAT_SECONDS}, 1 to 3600, default 30
 * @param callerProof {@code MOLECULE_A2A_REQUIRE_TOKEN}: what whoever calls this agent must show
 * @param lifelineOnStdin {@code MOLECULE_LIFELINE=stdin}: the agent ends when its standard input does
 * @param environment all of it, secrets among it however they came: adapters have variables of their own
 */
public record RuntimeConfig(
        String workspaceId,
        Path configFolder,
        Path tokenFolder,
        Path workspaceFolder,
        Path snapshotFile,
        Path delegationResultsFile,
        String platformUrl,
        String host,
        String advertisedHost,
        Optional<String> runtime,
        Optional<String> adapter,
        OptionalInt port,
        Duration heartbeatInterval,
        CallerProof callerProof,
        boolean lifelineOnStdin,
        Map<String, String> environment) {

    private static final int PORT_MAX = 65_535;

    /** @throws PreflightFailure naming the variable that is missing or wrong */
    public static RuntimeConfig fromEnv(Map<String, String> env) {
        String workspaceId = env.getOrDefault("WORKSPACE_ID", "").strip();
        if (workspaceId.isEmpty()) {
            throw new PreflightFailure("Environment", "WORKSPACE_ID is not set", "Set it to this workspace's id.");
        }
        Path configFolder = Path.of(env.getOrDefault("WORKSPACE_CONFIG_PATH", "/configs"));
        String tokenFolder = env.get("CONFIGS_DIR");
        String host = env.getOrDefault("MOLECULE_AGENT_HOST", "127.0.0.1");
        return new RuntimeConfig(
                workspaceId,
                configFolder,
                tokenFolder == null ? configFolder : Path.of(tokenFolder),
                Path.of(env.getOrDefault("MOLECULE_WORKSPACE_FOLDER", "")).toAbsolutePath(),
                file(env, "AGENT_SNAPSHOT_PATH", configFolder.resolve(".agent_snapshot.json")),
                file(env, "DELEGATION_RESULTS_FILE", configFolder.resolve(".delegation_results.jsonl")),
                env.getOrDefault("PLATFORM_URL", env.getOrDefault("MOLECULE_URL", machine(env))),
                host,
                host.equals("0.0.0.0") ? env.getOrDefault("HOSTNAME", "127.0.0.1") : host,
                named(env, "MOLECULE_RUNTIME"),
                named(env, "MOLECULE_ADAPTER"),
                port(env),
                Duration.ofSeconds(number(env, "MOLECULE_HEARTBEAT_SECONDS", 30, 1, 3600)),
                callerProof(env),
                lifeline(env),
                Map.copyOf(env));
    }

    /** The configuration as whoever starts the agent wants it to be run; a kind that it names itself goes before. */
    WorkspaceConfig appliedTo(WorkspaceConfig written) {
        var asked = runtime.map(written::as).orElse(written);
        var run = adapter.map(asked::runBy).orElse(asked);
        String own = Settings.of("runtime_config.", written.runtimeConfig()).text("adapter", "");
        return own.isEmpty() ? run : run.runBy(own);
    }

    /** {@code .tasks} beside the snapshot: tasks that go on after the agent's end. */
    Path tasksFolder() {
        return snapshotFile.resolveSibling(".tasks");
    }

    /** {@code MOLECULE_ORG_ID}: a platform of several organisations wants to hear it with every request. */
    Optional<String> orgId() {
        return named(environment, "MOLECULE_ORG_ID").map(String::strip);
    }

    /** The token in its folder; until there is one, {@code MOLECULE_WORKSPACE_TOKEN}. */
    TokenStore tokens() {
        var file = TokenFile.in(tokenFolder);
        var given = Optional.of(
                        environment.getOrDefault("MOLECULE_WORKSPACE_TOKEN", "").strip())
                .filter(token -> !token.isEmpty());
        return new TokenStore() {
            @Override
            public Optional<String> load() {
                return file.load().or(() -> given);
            }

            @Override
            public void save(String token) {
                file.save(token);
            }
        };
    }

    /** Without the variables, which may be secrets. */
    @Override
    public String toString() {
        return "RuntimeConfig[" + workspaceId + "]";
    }

    /** Where others reach an agent that listens on this port. */
    String urlAt(int listeningPort) {
        return "http://" + advertisedHost + ":" + listeningPort;
    }

    private static Optional<String> named(Map<String, String> env, String variable) {
        return Optional.ofNullable(env.get(variable)).filter(name -> !name.isBlank());
    }

    private static OptionalInt port(Map<String, String> env) {
        return env.containsKey("MOLECULE_AGENT_PORT")
                ? OptionalInt.of(number(env, "MOLECULE_AGENT_PORT", 0, 0, PORT_MAX))
                : OptionalInt.empty();
    }

    private static Path file(Map<String, String> env, String name, Path otherwise) {
        String file = env.getOrDefault(name, "").strip();
        return file.isEmpty() ? otherwise : Path.of(file);
    }

    private static String machine(Map<String, String> env) {
        boolean contained = Files.exists(Path.of("/.dockerenv")) || env.containsKey("DOCKER_VERSION");
        return "http://" + (contained ? "host.docker.internal" : "localhost") + ":8080";
    }

    private static CallerProof callerProof(Map<String, String> env) {
        String name = "MOLECULE_A2A_REQUIRE_TOKEN";
        String text = env.getOrDefault(name, "").strip().toLowerCase(Locale.ROOT);
        return switch (text) {
            case "pair" -> CallerProof.PAIR_TOKEN;
            case "1", "true", "yes", "on" -> CallerProof.ANY_TOKEN;
            case "" -> CallerProof.ELSEWHERE;
            case "0", "false", "no", "off" -> CallerProof.NONE;
            default ->
                throw new PreflightFailure("Environment", name + " is " + text, "Set it to true, pair or false.");
        };
    }

    private static boolean lifeline(Map<String, String> env) {
        String lifeline = env.getOrDefault("MOLECULE_LIFELINE", "");
        if (!lifeline.isEmpty() && !lifeline.equals("stdin")) {
            throw new PreflightFailure(
                    "Environment", "MOLECULE_LIFELINE is " + lifeline, "Set it to stdin or leave it out.");
        }
        return lifeline.equals("stdin");
    }

    private static int number(Map<String, String> env, String name, int otherwise, int min, int max) {
        String text = env.getOrDefault(name, String.valueOf(otherwise)).strip();
        try {
            int number = Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // told below, with what would be right
        }
        throw new PreflightFailure(
                "Environment", name + " is " + text, "Set it to a number from " + min + " to " + max + ".");
    }
}
