package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The Docker Engine of this machine. Where none answers, a test is reported as skipped with the reason; with
 * {@code MOLECULE_REQUIRE_DOCKER=1} it fails.
 */
final class TestEngine {

    private static final Path SOCKET = Path.of("/var/run/docker.sock");

    /** Runs what its environment says, as the workspace's agent. */
    private static final String IMAGE = "molecule-test/scripted-agent:1";

    private static final List<String> BASES = List.of("molecule-test/jre:25", "eclipse-temurin:25-jre");

    private static final String DOCKERFILE = """
            FROM %s
            RUN install -d -o 10001 -g 10001 /configs /workspace /home /plugins
            ENV HOME=/home
            WORKDIR /workspace
            ENTRYPOINT ["/bin/sh", "-c", "eval \\"$SCRIPT\\""]
            """;

    private static boolean built;

    private TestEngine() {}

    /** Settings of a platform of its own on the engine. */
    static DockerSettings settings(Vertx vertx, String... variables) {
        require(vertx);
        Map<String, String> env = new HashMap<>(Map.of(
                "MOLECULE_PLATFORM_ID",
                "test-" + UUID.randomUUID(),
                "MOLECULE_DOCKER_NETWORK",
                "molecule-test-net",
                "MOLECULE_IMAGE_ECHO",
                IMAGE,
                "MOLECULE_IMAGE_CLAUDE_CODE",
                IMAGE,
                "MOLECULE_STOP_SECONDS",
                "1"));
        for (int i = 0; i < variables.length; i += 2) {
            env.put(variables[i], variables[i + 1]);
        }
        return DockerSettings.fromEnv(new Env(env));
    }

    static Engine engine(Vertx vertx) {
        return new Engine(vertx, SOCKET);
    }

    static JsonObject inspect(Vertx vertx, String container) {
        return engine(vertx).get("/containers/" + container + "/json").await().object();
    }

    /** Names of the workspace's containers and volumes on the engine. */
    static Set<String> leftOf(Vertx vertx, UUID workspaceId) {
        var engine = engine(vertx);
        var left = new TreeSet<String>();
        String filter = Engine.encode("{\"label\":[\"molecule.workspace.id=%s\"]}".formatted(workspaceId));
        engine.get("/containers/json?all=true&filters=" + filter).await().array().stream()
                .map(container -> ((JsonObject) container).getJsonArray("Names").getString(0))
                .forEach(left::add);
        var volumes = engine.get("/volumes?filters=" + filter).await().object().getJsonArray("Volumes");
        (volumes == null ? new JsonArray() : volumes)
                .stream().map(volume -> ((JsonObject) volume).getString("Name")).forEach(left::add);
        return left;
    }

    private static synchronized void require(Vertx vertx) {
        var engine = engine(vertx);
        try {
            engine.ping().await();
        } catch (Exception away) {
            if ("1".equals(System.getenv("MOLECULE_REQUIRE_DOCKER"))) {
                throw new AssertionError("Docker is required here", away);
            }
            abort("no Docker engine: " + away.getMessage());
        }
        if (!built) {
            build(engine);
            built = true;
        }
    }

    private static void build(Engine engine) {
        String base = BASES.stream()
                .filter(image -> engine.get("/images/" + Engine.encode(image) + "/json")
                        .await()
                        .isDone())
                .findFirst()
                .orElse(BASES.getLast());
        var context = new Tar(0)
                .file("Dockerfile", DOCKERFILE.formatted(base).getBytes(StandardCharsets.UTF_8), Tar.FILE_MODE)
                .finish();
        String log = engine.archive(HttpMethod.POST, "/build?t=" + IMAGE, context, Engine.JSON_MAX_BYTES)
                .await()
                .body()
                .toString();
        assertThat(engine.get("/images/" + IMAGE + "/json").await().status())
                .describedAs(log)
                .isEqualTo(200);
    }
}
