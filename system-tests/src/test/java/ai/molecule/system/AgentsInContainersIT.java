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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./molecule up --backend docker}, with the Docker Engine of this machine. */
class AgentsInContainersIT {

    private static final Duration BY_THE_SWEEP = Duration.ofSeconds(20);

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
            await().atMost(BY_THE_SWEEP.plusSeconds(20))
                    .until(() -> !platform.status(id).equals("online"));
            platform.awaitStatus(id, "online");
            assertThat(platform.say(id, "again?")).isEqualTo("Echo: again?");

            nobodyEntersWithoutAToken(platform, id);

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

    /** The development hatch is for who sits at this machine. */
    private static void nobodyEntersWithoutAToken(Platform platform, String id) throws Exception {
        String gateway =
                docker("inspect", "-f", "{{range .NetworkSettings.Networks}}{{.Gateway}}{{end}}", containersOf(id));
        String port = platform.url.substring(platform.url.lastIndexOf(':') + 1);
        var answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://%s:%s/workspaces".formatted(gateway, port)))
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
