package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent with a model as its own process, killed while a tool runs, and begun again where it was. */
class GoingOnAfterAKillTest {

    private static final String PEER = "22222222-2222-4222-8222-222222222222";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path home;

    private Path configs;
    private Path work;
    private StandInPlatform platform;
    private ScriptedEndpoint endpoint;
    private @Nullable Process process;

    @BeforeEach
    void startPlatform() throws Exception {
        configs = Files.createDirectories(home.resolve("configs"));
        work = Files.createDirectories(home.resolve("work"));
        platform = new StandInPlatform();
        endpoint = new ScriptedEndpoint();
    }

    @AfterEach
    void stopEverything() throws Exception {
        Files.deleteIfExists(work.resolve("runs")); // what the killed agent left ends by that
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
        endpoint.close();
        platform.close();
    }

    @Test
    void a_killed_agent_goes_on_behind_its_last_step_and_pays_for_none_again() throws Exception {
        start();
        send("molecule-m1", """
                script:
                say First. call write {"path":"a.txt","text":"one"}
                call run {"command":"echo x >> ran; touch runs; while [ -e runs ]; do sleep 0.1; done"} && list {}""");
        await().until(() -> Files.exists(work.resolve("runs")) && kept().contains("\"result\":\"c1_1\""));
        int paid = endpoint.requests.size();
        Objects.requireNonNull(process).destroyForcibly().waitFor();
        platform.workspaces.clear();

        start();

        await().until(() -> state("molecule-m1").equals("completed"));
        assertThat(paid).isEqualTo(2);
        assertThat(endpoint.requests).as("turns of the model").hasSize(3);
        assertThat(Files.readString(work.resolve("ran"))).isEqualTo("x\n");
        assertThat(task("molecule-m1")
                        .at("/result/artifacts/0/parts/0/text")
                        .asText()
                        .split(" \\| ", -1))
                .satisfiesExactly(
                        run -> assertThat(run).startsWith("First.\n\nHeard: Error: the agent was restarted while this"),
                        list -> assertThat(list).contains("a.txt"));
        assertThat(task("molecule-m1").at("/result/metadata/tool_trace").findValuesAsText("tool"))
                .contains("write", "run");
    }

    @Test
    void a_killed_agent_that_waited_for_a_peer_joins_what_the_peer_does() throws Exception {
        Path peerWork = Files.createDirectories(home.resolve("peer"));
        var peer = peer(peerWork);
        try (peer) {
            start();
            String task = "script:\ncall run {\"command\":\"echo x >> ran; while [ ! -e go ]; do sleep 0.1; done\"}";
            send(
                    "molecule-m2",
                    "script:\ncall delegate_task "
                            + JSON.createObjectNode().put("workspace_id", PEER).put("task", task));
            await().until(() -> Files.exists(peerWork.resolve("ran")));
            Objects.requireNonNull(process).destroyForcibly().waitFor();
            platform.workspaces.remove("ws-1");

            start();
            await().until(() -> platform.carried.size() == 3); // sent, looked up, joined
            Files.createFile(peerWork.resolve("go"));

            await().until(() -> state("molecule-m2").equals("completed"));
            assertThat(Files.readString(peerWork.resolve("ran"))).isEqualTo("x\n");
            assertThat(task("molecule-m2")
                            .at("/result/artifacts/0/parts/0/text")
                            .asText())
                    .startsWith("Heard: Heard: ")
                    .contains("exit code 0");
        }
    }

    private WorkspaceAgent peer(Path folder) throws IOException {
        Path settings = Files.createDirectories(home.resolve("peer-configs"));
        Files.writeString(settings.resolve("config.yaml"), "name: Peer\nruntime: langchain4j\ntools: [run]\n");
        var peer = new HashMap<>(environment(PEER, settings, folder));
        var config = RuntimeConfig.fromEnv(peer);
        return WorkspaceAgent.start(config, config.appliedTo(WorkspaceConfig.read(settings)));
    }

    private String kept() throws IOException {
        try (var files = Files.list(configs.resolve(".tasks"))) {
            return Files.readString(files.findFirst().orElseThrow());
        }
    }

    private String state(String messageId) throws Exception {
        return task(messageId).at("/result/status/state").asText();
    }

    private JsonNode task(String messageId) throws Exception {
        return call("molecule/tasks/byMessage", JSON.createObjectNode().put("messageId", messageId));
    }

    private void send(String messageId, String text) throws Exception {
        var params = JSON.createObjectNode();
        params.putObject("configuration").put("blocking", false);
        var message = params.putObject("message")
                .put("kind", "message")
                .put("role", "user")
                .put("messageId", messageId);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        call("message/send", params);
    }

    private JsonNode call(String method, JsonNode params) throws Exception {
        var request = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", method);
        request.set("params", params);
        await().until(() -> platform.workspaces.containsKey("ws-1"));
        var response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create(platform.registered("ws-1").url()))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                                .build(),
                        BodyHandlers.ofString());
        return JSON.readTree(response.body());
    }

    private void start() throws IOException {
        Files.writeString(configs.resolve("config.yaml"), "name: One\nruntime: langchain4j\ntools: [files, run]\n");
        var builder = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                RuntimeMain.class.getName()));
        builder.environment().putAll(environment("ws-1", configs, work));
        process = builder.redirectError(home.resolve("log").toFile())
                .redirectOutput(home.resolve("out").toFile())
                .start();
    }

    private Map<String, String> environment(String id, Path settings, Path folder) {
        return Map.of(
                "WORKSPACE_ID",
                id,
                "WORKSPACE_CONFIG_PATH",
                settings.toString(),
                "MOLECULE_WORKSPACE_FOLDER",
                folder.toString(),
                "PLATFORM_URL",
                platform.url(),
                "MOLECULE_AGENT_PORT",
                "0",
                "TIER",
                "3",
                "OPENAI_BASE_URL",
                endpoint.url(),
                "MODEL_PROVIDER",
                "scripted");
    }
}
