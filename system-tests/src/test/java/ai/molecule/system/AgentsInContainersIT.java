package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./molecule up --backend docker}, with the Docker Engine of this machine. */
@Tag("full")
class AgentsInContainersIT {

    private static final String ADMIN = "the-admin-token-of-this-test";
    private static final String MESSAGE =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"messageId\":\"m\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}";
    private static final Duration BY_THE_SWEEP = Duration.ofMinutes(3);

    @BeforeAll
    static void anEngineAnswers() throws Exception {
        boolean answers = exitOf("docker", "info") == 0;
        if ("1".equals(System.getenv("MOLECULE_REQUIRE_DOCKER"))) {
            assertThat(answers).describedAs("Docker is required here").isTrue();
        }
        assumeTrue(answers, "no Docker engine answers");
    }

    @Test
    void an_agent_lives_dies_and_returns_in_a_container_and_leaves_nothing(@TempDir Path data) throws Exception {
        String last;
        try (var platform = Platform.up(data, "--no-demo", "--backend", "docker")) {
            String id = platform.create("Boxed", "echo", null);
            platform.awaitStatus(id, "online");
            assertThat(platform.say(id, "in there?")).isEqualTo("Echo: in there?");
            assertThat(containersOf(id).lines()).hasSize(1);

            docker("kill", containersOf(id));
            await().atMost(BY_THE_SWEEP).until(() -> !platform.status(id).equals("online"));
            platform.awaitStatus(id, "online");
            assertThat(platform.say(id, "again?")).isEqualTo("Echo: again?");

            nobodyEntersWithoutAToken(platform, id);

            await().atMost(BY_THE_SWEEP)
                    .ignoreExceptionsMatching(AssertionError.class::isInstance) // it is at something for a moment
                    .until(() -> platform.post(200, "/workspaces/" + id + "/hibernate", "")
                            .path("status")
                            .asText()
                            .equals("hibernated"));
            await().atMost(BY_THE_SWEEP).until(() -> containersOf(id).isEmpty());
            assertThat(platform.say(id, "awake?")).isEqualTo("Echo: awake?");

            platform.post(200, "/workspaces/" + id + "/pause", "");
            assertThat(containersOf(id)).isEmpty();
            platform.post(200, "/workspaces/" + id + "/resume", "");
            platform.awaitStatus(id, "online");

            platform.delete("/workspaces/" + id + "?confirm=true");
            await().atMost(BY_THE_SWEEP)
                    .until(() -> containersOf(id).isEmpty() && volumesOf(id).isEmpty());

            last = platform.create("Last", "echo", null);
            platform.awaitStatus(last, "online");
        }
        assertThat(containersOf(last)).isEmpty();
        docker(
                "volume",
                "rm",
                "ws-" + last.substring(0, 12) + "-configs",
                "ws-" + last.substring(0, 12) + "-home",
                "ws-" + last.substring(0, 12) + "-plugins",
                "ws-" + last + "-workspace");
    }

    /** What a stranger and an agent try of a platform in production, at the people's door and at the agents'. */
    @Test
    void in_production_nobody_becomes_one_of_ours_and_a_suspect_is_held(@TempDir Path data) throws Exception {
        var environment = Map.of("ADMIN_TOKEN", ADMIN);
        try (var platform = Platform.up(
                environment, data, "--no-demo", "--env", "production", "--backend", "docker", "--trust-agents")) {
            var admin = new PlatformApi(platform.url, ADMIN);
            String suspect = admin.create("Suspect", "echo", null);
            String other = admin.create("Other", "echo", admin.create("Another team", "echo", null));
            admin.awaitStatus(suspect, "online");
            admin.awaitStatus(other, "online");
            String token = docker("exec", containersOf(suspect), "cat", "/configs/.auth_token");
            String own = "/workspaces/" + suspect;
            var entrance = new PlatformApi(entrance(platform, suspect), token);
            var front = new PlatformApi(platform.url, token);
            var stranger = new PlatformApi(platform.url, null);

            for (String id : List.of(UUID.randomUUID().toString(), suspect)) {
                stranger.post(401, "/registry/register", registration(id));
                new PlatformApi(entrance.url, null).post(401, "/registry/register", registration(id));
            }
            admin.post(200, "/settings/secrets", "{\"key\":\"A_KEY\",\"value\":\"for-all\"}");
            admin.awaitStatus(suspect, "online");
            for (var door : List.of(front, entrance)) {
                door.post(401, "/workspaces", "{\"name\":\"Mine\"}");
                door.post(403, "/workspaces/" + other + "/a2a", MESSAGE);
                door.post(401, "/workspaces/" + other + "/pause", "");
            }

            admin.post(200, own + "/quarantine", "");
            await().atMost(BY_THE_SWEEP).until(() -> containersOf(suspect).isEmpty());
            for (var door : List.of(front, entrance)) {
                door.post(401, own + "/tokens", "");
                door.post(401, own + "/resume", "");
                door.post(401, "/registry/register", registration(suspect));
            }
            stranger.post(401, "/registry/register", registration(suspect));
            admin.post(409, own + "/resume", "");
            admin.awaitStatus(other, "online");
        }
    }

    private static String registration(String id) {
        return "{\"id\":\"%s\",\"url\":\"remote://x\",\"agent_card\":{\"name\":\"x\"}}".formatted(id);
    }

    private static String entrance(Platform platform, String id) throws Exception {
        String gateway =
                docker("inspect", "-f", "{{range .NetworkSettings.Networks}}{{.Gateway}}{{end}}", containersOf(id));
        return "http://" + gateway + platform.url.substring(platform.url.lastIndexOf(':'));
    }

    /** The development hatch is for who sits at this machine. */
    private static void nobodyEntersWithoutAToken(Platform platform, String id) throws Exception {
        var answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(entrance(platform, id) + "/workspaces"))
                                .build(),
                        BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(platform.get("/workspaces")).isNotEmpty();
    }

    private static String containersOf(String id) throws Exception {
        return docker(
                "ps", "-q", "--filter", "label=molecule.role=agent", "--filter", "label=molecule.workspace.id=" + id);
    }

    private static String volumesOf(String id) throws Exception {
        return docker("volume", "ls", "-q", "--filter", "label=molecule.workspace.id=" + id);
    }

    private static String docker(String... arguments) throws Exception {
        var command = new String[arguments.length + 1];
        command[0] = "docker";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).describedAs(output).isZero();
        return output;
    }

    private static int exitOf(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException notInstalled) {
            return -1;
        }
    }
}
