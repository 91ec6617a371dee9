package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent as its own process: how it starts, and all the ways it ends. */
class RunningAsAProcessTest {

    @TempDir
    private Path folder;

    private StandInPlatform platform;
    private @Nullable Process process;

    @BeforeEach
    void startPlatform() throws Exception {
        platform = new StandInPlatform();
    }

    @AfterEach
    void stopEverything() {
        if (process != null) {
            process.destroyForcibly();
        }
        platform.close();
    }

    @Test
    void it_listens_registers_where_it_listens_and_stops_cleanly_when_told_to() throws Exception {
        Process agent = start("name: One\nruntime: echo\ninitial_prompt: look around\n", Map.of());
        await().until(() -> !platform.heartbeats.isEmpty() && !platform.toldSelf.isEmpty());
        var registered = platform.registered("ws-1");

        var card = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(registered.url() + "/.well-known/agent.json"))
                                .build(),
                        BodyHandlers.ofString());
        agent.destroy();

        assertThat(card.body()).isEqualTo(registered.card().toString());
        assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.exitValue()).isZero();
        assertThat(log()).contains("agent stopped").contains("[WARN] Prompt files: system-prompt.md does not exist");
        assertThat(platform.toldSelf.getFirst().findValue("text").asText()).isEqualTo("look around");
        assertThat(folder.resolve(".initial_prompt_done")).hasContent("attempted");
        assertThat(Files.readString(folder.resolve(".agent_snapshot.json"))).contains("\"workspace_id\":\"ws-1\"");
        assertThat(folder.resolve(".molecule/chat-uploads")).isDirectory();
        assertThat(Files.readString(folder.resolve("AGENTS.md")))
                .contains("# One")
                .contains("/a2a");
    }

    @Test
    void it_ends_when_whoever_holds_its_lifeline_is_gone() throws Exception {
        Process agent = start("runtime: echo\n", Map.of("MOLECULE_LIFELINE", "stdin"));
        await().until(() -> !platform.heartbeats.isEmpty());

        agent.getOutputStream().close();

        assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.exitValue()).isZero();
    }

    @Test
    void a_program_that_works_for_it_ends_with_it() throws Exception {
        Path pid = folder.resolve("pid");
        String yaml = """
                runtime: cli
                runtime_config: {command: sh, args: [-c, 'echo $$ > %s; exec sleep 600']}
                """;
        Process agent = start(yaml.formatted(pid), Map.of());
        await().until(() -> !platform.heartbeats.isEmpty());
        var message = """
                {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"blocking":false},
                "message":{"kind":"message","role":"user","messageId":"m1","parts":[{"kind":"text","text":"go"}]}}}""";
        HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create(platform.registered("ws-1").url()))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(message))
                                .build(),
                        BodyHandlers.discarding());
        await().until(() -> Files.exists(pid) && !Files.readString(pid).isBlank());
        var program = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));

        agent.destroy();

        assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
        await().until(() -> program.map(handle -> !handle.isAlive()).orElse(true));
    }

    @Test
    void it_says_what_is_wrong_and_does_not_start() throws Exception {
        Process agent = start("runtime: crewai\n", Map.of());

        assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.exitValue()).isEqualTo(1);
        assertThat(log())
                .contains(
                        "[FAIL] Runtime: runtime crewai cannot run here, only cli, delegate, echo, langchain4j, program, rehearse, rehearsed can")
                .doesNotContain("\tat ");
        assertThat(platform.workspaces).isEmpty();
    }

    @Test
    void a_port_in_use_is_a_sentence_too() throws Exception {
        try (var taken = new ServerSocket(0)) {
            Process agent =
                    start("runtime: echo\n", Map.of("MOLECULE_AGENT_PORT", String.valueOf(taken.getLocalPort())));

            assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(agent.exitValue()).isEqualTo(1);
            assertThat(log()).contains("[FAIL] Listening: 127.0.0.1:" + taken.getLocalPort() + " cannot be used");
        }
    }

    private Process start(String yaml, Map<String, String> env) throws IOException {
        Files.writeString(folder.resolve("config.yaml"), yaml);
        var builder = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                RuntimeMain.class.getName()));
        builder.environment()
                .putAll(Map.of(
                        "WORKSPACE_ID",
                        "ws-1",
                        "WORKSPACE_CONFIG_PATH",
                        folder.toString(),
                        "MOLECULE_WORKSPACE_FOLDER",
                        folder.toString(),
                        "PLATFORM_URL",
                        platform.url(),
                        "MOLECULE_AGENT_PORT",
                        "0"));
        builder.environment().putAll(env);
        Process started = builder.redirectError(folder.resolve("log").toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .start();
        process = started;
        return started;
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }
}
