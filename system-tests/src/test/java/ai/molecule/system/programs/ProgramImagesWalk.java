package ai.molecule.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import ai.molecule.system.PlatformApi;
import ai.molecule.system.programs.RealProgramsIT.Program;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code claude}, {@code codex} and {@code gemini} in the images that {@code docker/build-images} makes of npm's packages, as agents of
 * {@code ./molecule up --backend docker}. {@code MOLECULE_JRE_IMAGE} and {@code MOLECULE_NODE_IMAGE} name other images to begin with.
 */
class ProgramImagesWalk {

    private static final Path ROOT =
            Path.of(System.getProperty("molecule.root")).toAbsolutePath().normalize();
    private static final String VERSION = "it";

    private static ScriptedProviders providers;
    private static Platform platform;
    private static String writer;

    @BeforeAll
    static void start(@TempDir Path temp) throws Exception {
        run(
                Map.of(
                        "BUILT", ".",
                        "JRE_IMAGE", named("MOLECULE_JRE_IMAGE", "eclipse-temurin:25-jre"),
                        "NODE_IMAGE", named("MOLECULE_NODE_IMAGE", "node:24-bookworm-slim")),
                ROOT.resolve("docker/build-images").toString(),
                VERSION);
        Map<String, String> images = new HashMap<>();
        for (String runtime : List.of("echo", "claude-code", "codex", "gemini-cli")) {
            images.put(
                    "MOLECULE_IMAGE_" + runtime.replace('-', '_').toUpperCase(Locale.ROOT),
                    "molecule/workspace-" + runtime + ":" + VERSION);
        }
        providers = new ScriptedProviders();
        platform = Platform.up(images, temp, "--no-demo", "--backend", "docker");
        providers
                .secrets()
                .forEach((key, value) -> platform.put(
                        "/settings/secrets",
                        PlatformApi.JSON
                                .createObjectNode()
                                .put("key", key)
                                .put("value", value)
                                .toString()));
        writer = platform.create("Writer", "echo", null);
        platform.awaitStatus(writer, "online");
    }

    @AfterAll
    static void stop() {
        if (platform != null) {
            platform.close();
            providers.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void in_its_container_it_works_and_killed_in_the_middle_goes_on(Program program) throws Exception {
        String agent = created(program);
        platform.awaitStatus(agent, "online");
        var script = PlatformApi.JSON.createArrayNode();
        step(script, program.tools + "delegate_task")
                .put("workspace_id", writer)
                .put("task", "once by " + agent);
        program.write(script, Path.of("/workspace/note.txt"), "written by " + program.runtime);
        script.addObject().put("hang", true);
        step(script, program.tools + "list_peers");
        var message = PlatformApi.JSON.createObjectNode().put("method", "message/send");
        var inner = message.putObject("params")
                .putObject("message")
                .put("role", "user")
                .put("messageId", "m-" + agent);
        inner.putArray("parts").addObject().put("kind", "text").put("text", "SCRIPT" + script + "END");

        var unanswered = CompletableFuture.runAsync(
                () -> platform.post(200, "/workspaces/" + agent + "/a2a", message.toString()));
        await().untilAsserted(() -> assertThat(providers.hangs(script.toString()))
                .as(run(Map.of(), "docker", "logs", "--tail", "30", containerOf(agent)))
                .isTrue());
        run(Map.of(), "docker", "kill", containerOf(agent));

        await().atMost(Waits.PATIENCE.multipliedBy(2)).untilAsserted(() -> {
            var answer = platform.post(200, "/workspaces/" + agent + "/a2a", message.toString());
            assertThat(answer.at("/result/parts/0/text").asText())
                    .startsWith("DONE ")
                    .contains("Echo: once by " + agent, "Writer");
        });
        await().until(unanswered::isDone);
        assertThat(run(Map.of(), "docker", "exec", containerOf(agent), "cat", "/workspace/note.txt"))
                .isEqualTo("written by " + program.runtime);
        platform.delete("/workspaces/" + agent + "?confirm=true");
    }

    private static String created(Program program) {
        return platform.post(
                        201,
                        "/workspaces",
                        PlatformApi.JSON
                                .createObjectNode()
                                .put("name", "Boxed " + program.runtime)
                                .put("runtime", program.runtime)
                                .put("model", program.model)
                                .put("tier", 3)
                                .toString())
                .get("id")
                .asText();
    }

    private static ObjectNode step(ArrayNode script, String tool) {
        return script.addObject().put("tool", tool).putObject("args");
    }

    private static String containerOf(String id) throws Exception {
        return run(
                Map.of(),
                "docker",
                "ps",
                "-q",
                "--filter",
                "label=molecule.role=agent",
                "--filter",
                "label=molecule.workspace.id=" + id);
    }

    private static String named(String variable, String otherwise) {
        return Objects.requireNonNullElse(System.getenv(variable), otherwise);
    }

    /** What it wrote. */
    private static String run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
