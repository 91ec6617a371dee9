package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole agents with tools that their configuration and their plugins give them. */
class UsingOwnToolsTest {

    private static final String ID = "33333333-3333-4333-8333-333333333333";
    private static final String SERVER = """
            while IFS= read -r line; do
              id=${line#*'"id":'}
              id=${id%%,*}
              case "$line" in
                *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25"}}\\n' "$id" ;;
                *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}}\\n' "$id" ;;
                *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"hello %s"}]}}\\n' "$id" "$WHO" ;;
              esac
            done
            """;

    @TempDir
    private Path home;

    @Test
    void a_model_calls_tools_of_the_servers_in_config_yaml_and_in_a_plugin() throws Exception {
        Path script = Files.writeString(home.resolve("server.sh"), SERVER);
        Path plugin =
                Files.createDirectories(home.resolve(ID).resolve("plugins").resolve("polite"));
        Files.writeString(
                plugin.resolve("plugin.yaml"), "name: polite\nmcp_servers:\n" + server("second", script, "plugin"));
        Path broken =
                Files.createDirectories(home.resolve(ID).resolve("plugins").resolve("broken"));
        Files.writeString(broken.resolve("plugin.yaml"), "name: broken\nmcp_servers: {third: {command: x, url: y}}\n");

        String answer = ask(
                "mcp_servers:\n" + server("first", script, "${SOME_SECRET}"),
                Map.of("SOME_SECRET", "config"),
                "script:\ncall first__greet {} && second__greet {}");

        assertThat(answer).isEqualTo("Heard: hello config | hello plugin");
    }

    @Test
    void another_value_of_a_secret_reaches_a_server_that_names_it_without_a_restart_and_leaves_others_alone()
            throws Exception {
        Path script = Files.writeString(home.resolve("server.sh"), "echo started >> \"$LOG\"\n" + SERVER);
        String config =
                "mcp_servers:\n" + logging("first", script, "${SOME_SECRET}") + logging("second", script, "plain");
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            agents.platform.secrets = "{\"SOME_SECRET\":\"old\"}";
            agents.platform.secretsVersion = 1;
            String url = agents.start(
                    ID,
                    "Worker\n" + config,
                    "langchain4j",
                    Map.of(
                            "SOME_SECRET", "old",
                            "MOLECULE_HEARTBEAT_SECONDS", "1",
                            "MOLECULE_MODEL_DOOR", endpoint.url().replace("/v1", ""),
                            "MOLECULE_MODEL_KEY", "key",
                            "MOLECULE_MODEL_PROVIDERS", "openai:+",
                            "MODEL_PROVIDER", "openai:scripted"));
            String message = "script:\ncall first__greet {} && second__greet {}";
            assertThat(answerOf(send(url, message, ""))).isEqualTo("Heard: hello old | hello plain");
            await().until(() -> agents.platform.secretsAsked.size() == 1);

            agents.platform.secrets = "{\"SOME_SECRET\":\"new\"}";
            agents.platform.secretsVersion = 2;
            await().until(() -> agents.platform.secretsAsked.size() == 2);
            await().until(() -> answerOf(send(url, message, "")).equals("Heard: hello new | hello plain"));

            assertThat(agents.platform.secretsAsked).containsOnly("follow=true");
            assertThat(Files.readAllLines(home.resolve("first.log"))).hasSize(2);
            assertThat(Files.readAllLines(home.resolve("second.log"))).hasSize(1);
        }
    }

    private String logging(String name, Path script, String who) {
        return "  " + name + ": {command: /bin/sh, args: [" + script + "], env: {WHO: \"" + who + "\", LOG: \""
                + home.resolve(name + ".log") + "\"}}\n";
    }

    private static String answerOf(JsonNode answered) {
        return answered.at("/result/artifacts/0/parts/0/text").asText();
    }

    @Test
    void a_model_works_on_the_files_of_its_workspace_with_the_tools_it_was_given_and_runs_a_command() throws Exception {
        Path folder = Files.createDirectories(home.resolve("workspace"));

        String answer = ask(
                "tools: [files, run, recall_memory]",
                Map.of("MOLECULE_WORKSPACE_FOLDER", folder.toString(), "TIER", "3"),
                "script:\ncall write {\"path\":\"a.txt\",\"text\":\"one\"}\n"
                        + "call edit {\"path\":\"a.txt\",\"old_text\":\"one\",\"new_text\":\"two\"}\n"
                        + "call run {\"command\":\"cat a.txt\"} && read {\"path\":\"../config.yaml\"}");

        assertThat(answer).startsWith("Heard: two\n[exit code 0] | Error: ../config.yaml has .. in it");
    }

    @Test
    void below_tier_2_and_without_being_named_there_are_no_such_tools() throws Exception {
        Path folder = Files.createDirectories(home.resolve("workspace"));

        String answer = ask(
                "tools: [read, run]",
                Map.of("MOLECULE_WORKSPACE_FOLDER", folder.toString(), "TIER", "1"),
                "script:\ncall run {} && write {} && read {}");

        assertThat(answer)
                .contains("there is no tool run", "there is no tool write", "Error: path must be given, as a text");
    }

    @Test
    void a_model_asks_whoever_gave_it_the_task_and_goes_on_with_the_answer() throws Exception {
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            String url = agents.start(
                    ID,
                    "Worker\ntools: [ask]",
                    "langchain4j",
                    Map.of("OPENAI_BASE_URL", endpoint.url(), "MODEL_PROVIDER", "scripted"));
            var asked = send(url, "script:\ncall ask {\"question\":\"Which city?\"} && ask {}", "");

            assertThat(asked.at("/result/status/state").asText()).isEqualTo("input-required");
            assertThat(asked.at("/result/status/message/parts/0/text").asText()).isEqualTo("Which city?");

            var answered = send(url, "Ulm", asked.at("/result/id").asText());

            assertThat(answered.at("/result/status/state").asText()).isEqualTo("completed");
            assertThat(answered.at("/result/artifacts/0/parts/0/text").asText())
                    .isEqualTo("Heard: Ulm | Error: question must be given, and one question at a time");
        }
    }

    @Test
    void a_question_waits_for_its_answer_while_the_agent_is_restarted_and_what_was_said_is_not_forgotten()
            throws Exception {
        var settings = new HashMap<>(Map.of("MODEL_PROVIDER", "scripted"));
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            settings.put("OPENAI_BASE_URL", endpoint.url());
            String url = agents.start(ID, "Worker\ntools: [ask]", "langchain4j", settings);
            var asked = send(url, "script:\ncall ask {\"question\":\"Which city?\"}", "");
            agents.stop(ID);

            String next = agents.start(ID, "Worker\ntools: [ask]", "langchain4j", settings);
            var answered = send(next, "Ulm", asked.at("/result/id").asText());

            assertThat(answered.at("/result/artifacts/0/parts/0/text").asText()).isEqualTo("Heard: Ulm");
            assertThat(answered.at("/result/history").findValuesAsText("text")).contains("Which city?", "Ulm");
        }
    }

    @Test
    void an_approval_is_waited_for_over_a_restart_and_asked_for_once() throws Exception {
        var settings = new HashMap<>(Map.of("MODEL_PROVIDER", "scripted"));
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            settings.put("OPENAI_BASE_URL", endpoint.url());
            String url = agents.start(ID, "Worker\ntools: [request_approval]", "langchain4j", settings);
            String script = "script:\ncall request_approval {\"action\":\"publish\",\"reason\":\"it is done\"}";
            String messageId = UUID.randomUUID().toString();
            var first = CompletableFuture.supplyAsync(() -> sendAs(messageId, url, script));
            await().until(() -> agents.platform.looksAtApprovals.get() > 0);
            agents.stop(ID);
            assertThat(first.join().at("/error/message").asText())
                    .isEqualTo("the agent restarts and goes on with this, send it again later");

            String next = agents.start(ID, "Worker\ntools: [request_approval]", "langchain4j", settings);
            var approval = agents.platform.approvals.getFirst();
            var again = CompletableFuture.supplyAsync(() -> sendAs(messageId, next, script));
            approval.put("decided_by", "Ada").put("status", "approved");

            var task = again.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS).path("result");
            assertThat(task.at("/artifacts/0/parts/0/text").asText()).isEqualTo("Heard: approved by Ada");
            assertThat(approval.path("task_id").asText())
                    .isEqualTo(task.path("id").asText());
            assertThat(agents.platform.approvals).hasSize(1);
            assertThat(endpoint.requests).as("turns of the model").hasSize(2);
        }
    }

    private static JsonNode sendAs(String messageId, String url, String text) {
        try {
            return send(messageId, url, text, "");
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private static JsonNode send(String url, String text, String taskId) throws Exception {
        return send(UUID.randomUUID().toString(), url, text, taskId);
    }

    private static JsonNode send(String messageId, String url, String text, String taskId) throws Exception {
        var json = new ObjectMapper();
        var request = json.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", "message/send");
        var message = request.putObject("params").putObject("message");
        message.put("kind", "message").put("role", "user").put("messageId", messageId);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        if (!taskId.isEmpty()) {
            message.put("taskId", taskId);
        }
        var response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return json.readTree(response.body());
    }

    private static String server(String name, Path script, String who) {
        return "  " + name + ": {command: /bin/sh, args: [" + script + "], env: {WHO: \"" + who + "\"}}\n";
    }

    private String ask(String config, Map<String, String> more, String message) throws Exception {
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            var environment = new HashMap<>(more);
            environment.put("OPENAI_BASE_URL", endpoint.url());
            environment.put("MODEL_PROVIDER", "scripted");
            String url = agents.start(ID, "Worker\n" + config, "langchain4j", environment);
            var caller = new A2aClient(ClientConfig.of("user", agents.platform.url(), TokenFile.in(home)));
            return caller.send(URI.create(url), Optional.of(ID), message, Waits.PATIENCE)
                    .text();
        }
    }
}
