package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.containers.ImageNames;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which image an agent runs, and which are fetched, of an engine that only knows images. */
@ExtendWith(VertxExtension.class)
class NamingImagesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temp;

    private final Set<String> present = ConcurrentHashMap.newKeySet();
    private final List<String> pulled = new CopyOnWriteArrayList<>();
    private final List<@Nullable String> auths = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @BeforeEach
    void serve(Vertx each) {
        vertx = each;
        vertx.createHttpServer()
                .requestHandler(this::answer)
                .listen(SocketAddress.domainSocketAddress(socket()))
                .await();
    }

    @ParameterizedTest
    @CsvSource({
        "echo,              molecule/workspace-echo:0.1.0",
        "claude-code,       molecule/workspace-claude-code:0.1.0",
        "whatever,          molecule/workspace-langgraph:0.1.0",
        "../../evil/x,      molecule/workspace-langgraph:0.1.0",
        "evil.io/x@sha256,  molecule/workspace-langgraph:0.1.0",
    })
    void a_runtime_that_nobody_knows_has_no_image_of_its_own(String runtime, String image) {
        assertThat(ImageNames.fromEnv(Map.of()).of(runtime)).isEqualTo(image);
    }

    @Test
    void an_operator_names_a_prefix_single_images_and_digests() {
        var names = ImageNames.fromEnv(Map.of(
                "MOLECULE_IMAGE_PREFIX", "registry.example.com/team/agent-",
                "MOLECULE_IMAGE_CODEX", "registry.example.com/codex@sha256:" + "a".repeat(64),
                "MOLECULE_IMAGE_HOUSE_MADE", "registry.example.com/own:2",
                "MOLECULE_VERSION", "7"));

        assertThat(names.of("echo")).isEqualTo("registry.example.com/team/agent-echo:7");
        assertThat(names.of("codex")).isEqualTo("registry.example.com/codex@sha256:" + "a".repeat(64));
        assertThat(names.of("house-made")).isEqualTo("registry.example.com/own:2");
        assertThat(names.of("whatever")).isEqualTo("registry.example.com/team/agent-langgraph:7");
        assertThatThrownBy(() -> ImageNames.fromEnv(Map.of("MOLECULE_IMAGE_ECHO", "a b")))
                .hasMessage("MOLECULE_IMAGE_ECHO must be the name of an image");
    }

    @ParameterizedTest
    @ValueSource(strings = {"molecule/workspace-echo:0.1.0", "alpine", "library/alpine:3"})
    void one_that_names_no_registry_is_taken_from_here_or_not_at_all(String image) {
        assertThatThrownBy(() -> images().require(image).await())
                .isInstanceOf(StartRefused.class)
                .hasMessage(
                        "workspace start failed: there is no image %s here, and none is pulled that names no registry"
                                .formatted(image));
        assertThat(pulled).isEmpty();

        present.add(image);
        images().require(image).await();
        assertThat(pulled).isEmpty();
    }

    @Test
    void one_of_a_registry_or_of_the_prefix_that_was_chosen_is_pulled() {
        images("MOLECULE_IMAGE_PREFIX", "acme/agent-")
                .require("acme/agent-echo:1")
                .await();
        images().require("registry.example.com/a@sha256:" + "b".repeat(64)).await();
        images().require("localhost:5000/a").await();

        assertThat(pulled)
                .containsExactly(
                        "acme/agent-echo:1",
                        "registry.example.com/a@sha256:" + "b".repeat(64),
                        "localhost:5000/a:latest");
    }

    @Test
    void a_registry_is_told_who_we_are_and_no_other() {
        var logins = "{\"auths\":{\"registry.example.com\":{\"auth\":\"%s\"}}}"
                .formatted(Base64.getEncoder().encodeToString("robot:pass:word".getBytes(StandardCharsets.UTF_8)));
        var images = images("MOLECULE_REGISTRY_AUTH", logins);

        images.require("registry.example.com/a:1").await();
        images.require("other.example.com/a:1").await();

        assertThat(new String(Base64.getUrlDecoder().decode(auths.getFirst()), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"username\":\"robot\",\"password\":\"pass:word\",\"serveraddress\":\"registry.example.com\"}");
        assertThat(auths.getLast()).isNull();
        assertThatThrownBy(() -> images("MOLECULE_REGISTRY_AUTH", "robot:pass"))
                .hasMessage("MOLECULE_REGISTRY_AUTH must be JSON with \"auths\", as docker login writes it");
    }

    private Images images(String... variables) {
        Map<String, String> env = new HashMap<>(Map.of("DOCKER_HOST", "unix://" + socket()));
        for (int i = 0; i < variables.length; i += 2) {
            env.put(variables[i], variables[i + 1]);
        }
        var settings = DockerSettings.fromEnv(new Env(env));
        return new Images(new Engine(vertx, settings.socket()), settings);
    }

    private String socket() {
        return temp.resolve("engine.sock").toString();
    }

    private void answer(HttpServerRequest request) {
        var response = request.response();
        String path = request.path().replaceFirst("^/v[0-9.]+", "");
        if (path.equals("/_ping")) {
            response.putHeader("Api-Version", "1.47").end("OK");
        } else if (path.equals("/images/create")) {
            String image = request.getParam("fromImage");
            pulled.add(image);
            auths.add(request.getHeader("X-Registry-Auth"));
            present.add(image);
            present.add(image.replace(":latest", ""));
            response.end("{\"status\":\"Downloaded\"}\n");
        } else {
            String image = java.net.URLDecoder.decode(path.replaceAll("^/images/|/json$", ""), StandardCharsets.UTF_8);
            response.setStatusCode(present.contains(image) ? 200 : 404).end(Buffer.buffer("{}"));
        }
    }
}
