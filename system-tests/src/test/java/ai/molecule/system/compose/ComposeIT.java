package ai.molecule.system.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.common.testing.ServerImages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images built by {@code docker/build-images}, started by {@code docker-compose.yml}, agents in containers beside them. */
@Tag("full")
class ComposeIT {

    private static final Path ROOT =
            Path.of(System.getProperty("molecule.root")).toAbsolutePath().normalize();
    private static final String VERSION = "it";
    private static final String QUESTION = "ask Researcher: what do we know?\nask Writer: say hello";

    private static final Map<String, String> IMAGES = new HashMap<>();

    @BeforeAll
    static void imagesAreBuilt() {
        var shell = new Shell(ROOT, Map.of());
        requireOrSkip(shell.tryToRun("docker", "info").exitCode() == 0, "no Docker engine answers");
        requireOrSkip(!ComposedPlatform.command(shell).isEmpty(), "there is no docker compose and no docker-compose");
        String jre = Objects.requireNonNullElse(System.getenv("MOLECULE_JRE_IMAGE"), "eclipse-temurin:25-jre");
        requireOrSkip(
                shell.tryToRun("docker", "image", "inspect", jre).exitCode() == 0
                        || shell.tryToRun("docker", "pull", jre).exitCode() == 0,
                "there is no " + jre + " and it cannot be had");
        new Shell(ROOT, Map.of("JRE_IMAGE", jre, "BUILT", ".", "PROGRAMS", "0"))
                .run(ROOT.resolve("docker/build-images").toString(), VERSION);
        IMAGES.putAll(Map.of(
                "POSTGRES_IMAGE", ServerImages.postgres().toString(),
                "REDIS_IMAGE", ServerImages.redis().toString()));
    }

    private static void requireOrSkip(boolean there, String reason) {
        if ("1".equals(System.getenv("MOLECULE_REQUIRE_DOCKER"))) {
            assertThat(there).describedAs(reason).isTrue();
        }
        assumeTrue(there, reason);
    }

    @Test
    void a_conversation_goes_on_when_one_container_of_each_service_is_killed(@TempDir Path secrets) throws Exception {
        try (var platform = ComposedPlatform.prepare(ROOT, secrets, VERSION, IMAGES)) {
            platform.up();
            await().ignoreExceptions() // on a busy machine an owner is late
                    .untilAsserted(() -> {
                        assertThat(platform.get("/org/templates").toString()).contains("\"dir\":\"demo\"");
                        assertThat(platform.get("/plugins").toString()).contains("meeting-notes");
                    });
            String lead = platform.create("Lead", "delegate", null);
            String researcher = platform.create("Researcher", "echo", lead);
            String writer = platform.create("Writer", "echo", lead);
            List.of(lead, researcher, writer).forEach(agent -> platform.awaitStatus(agent, "online"));
            awaitConversation(platform, lead);
            String started = platform.startOfAgent(researcher);

            for (String service : List.of("registry", "events", "provisioner", "proxy")) {
                platform.kill(service);
                awaitConversation(platform, lead);
            }

            assertThat(platform.startOfAgent(researcher)).isEqualTo(started);
            String late = platform.create("Late", "echo", lead);
            platform.awaitStatus(late, "online");
            assertThat(platform.say(late, "all there?")).isEqualTo("Echo: all there?");
        }
    }

    @Test
    void without_a_secret_no_service_starts_and_the_secret_is_named(@TempDir Path secrets) throws Exception {
        try (var platform = ComposedPlatform.prepare(ROOT, secrets, VERSION, IMAGES)) {
            Path missing = secrets.resolve("cluster_key");
            byte[] kept = Files.readAllBytes(missing);
            Files.delete(missing);

            var refused = platform.tryUp();

            assertThat(refused.exitCode()).isNotZero();
            assertThat(refused.err()).contains(missing.toString());
            assertThat(platform.compose("ps", "-q", "proxy")).isEmpty();
            Files.write(missing, kept);
        }
    }

    private static void awaitConversation(ComposedPlatform platform, String lead) {
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(platform.say(lead, QUESTION))
                        .contains("Researcher: Echo: what do we know?")
                        .contains("Writer: Echo: say hello"));
    }
}
