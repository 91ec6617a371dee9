package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of ours, started by an agent, that do with the platform what a model would. */
class GivingProgramsToolsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PEER = "22222222-2222-4222-8222-222222222222";

    @TempDir
    private Path home;

    private RunningAgents agents;

    @BeforeEach
    void start() throws Exception {
        agents = new RunningAgents(home);
        agents.start(PEER, "Ann", "echo");
        await().until(() -> agents.platform.workspaces.containsKey(PEER));
    }

    @AfterEach
    void stop() {
        agents.close();
    }

    @Test
    void a_shell_has_the_molecule_command_whatever_else_is_called_so() throws Exception {
        program("other/molecule", "echo not ours");
        try (var agent = agent(
                "cli",
                "runtime: cli\nruntime_config: {command: sh, args: [-c, '"
                        + String.join(
                                "; ",
                                "molecule a2a peers",
                                "molecule a2a delegate " + PEER + " hello there",
                                "molecule a2a make tea 2>/dev/null",
                                "echo $?")
                        + "']}\n")) {
            String answer = told(agent, "m-1");

            assertThat(answer.lines().toList())
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith(PEER + "  Ann  "),
                            line -> assertThat(line).isEqualTo("Echo: hello there"),
                            line -> assertThat(line).isEqualTo("2"));
        }
    }

    @Test
    void claude_is_given_the_tools_over_mcp_and_none_that_hand_on_at_the_beginning() throws Exception {
        program("bin/claude", """
                while [ "$1" != --mcp-config ]; do shift; done
                echo "$3 $4"
                ls -l "$2" | cut -c 1-10
                molecule=$(sed 's/.*"command":"\\([^"]*\\)".*/\\1/' "$2")
                printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' \\
                  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delegate_task","arguments":{"workspace_id":"%s","task":"hello"}}}' \\
                  | "$molecule" mcp | sed 's/^/answer /'
                """.replace("%s\",\"task", PEER + "\",\"task"));
        try (var agent = agent("claude-code", "runtime: echo\n")) {
            var later = told(agent, "m-1").lines().toList();
            var first = told(agent, "initial-00000000").lines().toList();

            assertThat(later.subList(0, 2)).containsExactly("--allowedTools mcp__molecule", "-rw-------");
            assertThat(json(later.get(2)).at("/result/tools").findValuesAsText("name"))
                    .contains("delegate_task");
            assertThat(json(later.get(3)).at("/result/content/0/text").asText()).isEqualTo("Echo: hello");
            assertThat(json(first.get(2)).at("/result/tools").findValuesAsText("name"))
                    .contains("list_peers")
                    .doesNotContain("delegate_task");
            assertThat(json(first.get(3)).at("/result/content/0/text").asText()).startsWith("Error: delegate_task");
        }
    }

    private static JsonNode json(String line) throws Exception {
        assertThat(line).startsWith("answer ");
        return JSON.readTree(line.substring("answer ".length()));
    }

    /** @param runtime as the platform says, which goes before what the config says */
    private WorkspaceAgent agent(String runtime, String yaml) throws Exception {
        Path configs = Files.createDirectories(home.resolve("me"));
        Files.writeString(configs.resolve("config.yaml"), yaml);
        var environment = new HashMap<>(Map.of(
                "WORKSPACE_ID", "11111111-1111-4111-8111-111111111111",
                "WORKSPACE_CONFIG_PATH", configs.toString(),
                "MOLECULE_WORKSPACE_FOLDER", home.toString(),
                "PLATFORM_URL", agents.platform.url(),
                "MOLECULE_AGENT_PORT", "0"));
        environment.putAll(Map.of(
                "MOLECULE_RUNTIME",
                runtime,
                "MOLECULE_ADAPTER",
                "cli",
                "PATH",
                home.resolve("other") + ":" + home.resolve("bin") + ":/usr/local/bin:/usr/bin:/bin"));
        var config = RuntimeConfig.fromEnv(environment);
        var agent = WorkspaceAgent.start(config, config.appliedTo(WorkspaceConfig.read(configs)));
        await().until(() -> agents.platform.workspaces.containsKey(config.workspaceId()));
        return agent;
    }

    private void program(String name, String shell) throws Exception {
        Path program = home.resolve(name);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "#!/bin/sh\n" + shell + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private static String told(WorkspaceAgent agent, String messageId) throws Exception {
        var message = """
                {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"%s",
                "parts":[{"text":"go"}]}}}""".formatted(messageId);
        var request = HttpRequest.newBuilder(URI.create(agent.url()))
                .POST(HttpRequest.BodyPublishers.ofString(message))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            JsonNode answer =
                    JSON.readTree(client.send(request, BodyHandlers.ofString()).body());
            return answer.at("/result/parts/0/text").asText();
        }
    }
}
