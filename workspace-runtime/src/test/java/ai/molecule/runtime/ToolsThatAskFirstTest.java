package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import ai.molecule.sdk.ApprovalDigest;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole agents whose {@code config.yaml} says what they may do unasked. */
class ToolsThatAskFirstTest {

    private static final String ID = "44444444-4444-4444-8444-444444444444";

    @TempDir
    private Path home;

    private Path folder;
    private ScriptedEndpoint endpoint;
    private RunningAgents agents;

    @BeforeEach
    void begin() throws Exception {
        folder = Files.createDirectories(home.resolve("workspace"));
        endpoint = new ScriptedEndpoint();
        agents = new RunningAgents(home);
    }

    @AfterEach
    void end() {
        agents.close();
        endpoint.close();
    }

    @Test
    void what_acts_and_is_not_named_runs_once_it_is_approved_also_over_a_restart_and_what_is_named_asks_nobody()
            throws Exception {
        String config = "tools: [files]\nunasked: [edit]";
        String script = "script:\ncall write {\"path\":\"a.txt\",\"text\":\"one\"}\n"
                + "call edit {\"path\":\"a.txt\",\"old_text\":\"one\",\"new_text\":\"two\"}\ncall read {\"path\":\"a.txt\"}";
        String message = UUID.randomUUID().toString();
        String url = start(config);
        var first = send(message, url, script);
        var approval = asked();
        assertThat(approval.path("action").asText()).isEqualTo("write a.txt");
        assertThat(approval.at("/context/tool").asText()).isEqualTo("write");
        assertThat(approval.at("/context/arguments/text").asText()).isEqualTo("one");
        assertThat(folder.resolve("a.txt")).doesNotExist();
        await().ignoreExceptions().until(() -> hasKept("rested"));
        agents.stop(ID);
        first.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);

        var again = send(message, start(config), script);
        approval.put("decided_by", "Ada").put("status", "approved");

        assertThat(said(again)).contains("two");
        assertThat(folder.resolve("a.txt")).hasContent("two");
        assertThat(agents.platform.approvals).hasSize(1);
    }

    @Test
    void an_agent_that_is_stopped_while_it_asks_finds_what_it_asked_and_does_what_is_approved() throws Exception {
        String script = "script:\ncall write {\"path\":\"a.txt\",\"text\":\"one\"}";
        String message = UUID.randomUUID().toString();
        var stopped = new CountDownLatch(1);
        agents.platform.answersApprovals.set(stopped);
        var first = send(message, start("tools: [files]\nunasked: []"), script);
        var approval = asked();
        agents.stop(ID);
        stopped.countDown();
        first.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);

        var again = send(message, start("tools: [files]\nunasked: []"), script);
        await().ignoreExceptions().until(() -> hasKept("rested"));
        approval.put("decided_by", "Ada").put("status", "approved");

        assertThat(said(again)).doesNotContain("Error");
        assertThat(folder.resolve("a.txt")).hasContent("one");
        assertThat(agents.platform.approvals).hasSize(1);
    }

    @Test
    void what_a_person_denies_is_not_done_and_the_model_hears_it() throws Exception {
        var answer = send(
                UUID.randomUUID().toString(),
                start("tools: [files, run]\nunasked: []"),
                "script:\ncall write {\"path\":\"a.txt\",\"text\":\"one\"}");
        asked().put("decided_by", "Ada").put("status", "denied");

        assertThat(said(answer)).contains("Error: denied by Ada: it was not done");
        assertThat(folder.resolve("a.txt")).doesNotExist();
    }

    @Test
    void an_approved_command_that_was_cut_short_is_not_run_again_by_the_same_approval() throws Exception {
        String config = "tools: [run]\nunasked: []";
        String script = "script:\ncall run {\"command\":\"echo x >> ran; sleep 100\"}";
        String message = UUID.randomUUID().toString();
        var first = send(message, start(config), script);
        asked().put("decided_by", "Ada").put("status", "approved");
        await().until(() -> Files.exists(folder.resolve("ran")));
        agents.stop(ID);
        first.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);

        var again = send(message, start(config), script);

        assertThat(said(again)).contains("it may have been done");
        assertThat(folder.resolve("ran")).hasContent("x");
        assertThat(agents.platform.approvals).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"digest", "decided_digest"})
    void a_call_whose_approval_is_of_something_else_is_not_run(String of) throws Exception {
        var answer = send(
                UUID.randomUUID().toString(),
                start("tools: [files]\nunasked: []"),
                "script:\ncall write {\"path\":\"a.txt\",\"text\":\"one\"}");
        ObjectNode other = new ObjectMapper().createObjectNode().put("tool", "write");
        other.putObject("arguments").put("path", "a.txt").put("text", "two");

        asked().put("decided_by", "Ada")
                .put(of, ApprovalDigest.of("write a.txt", "", other))
                .put("status", "approved");

        assertThat(said(answer)).contains("what was approved is not what this call would do: nothing was done");
        assertThat(folder.resolve("a.txt")).doesNotExist();
    }

    @Test
    void an_agent_that_comes_back_takes_no_other_pending_approval_with_the_same_headline_for_its_own()
            throws Exception {
        String message = UUID.randomUUID().toString();
        String script = "script:\ncall write {\"path\":\"a.txt\",\"text\":\"one\"}";
        var stopped = new CountDownLatch(1);
        agents.platform.answersApprovals.set(stopped);
        var first = send(message, start("tools: [files]\nunasked: []"), script);
        var other = asked();
        agents.stop(ID);
        stopped.countDown();
        first.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        other.put("digest", "0".repeat(64));

        var again = send(message, start("tools: [files]\nunasked: []"), script);

        await().until(() -> agents.platform.approvals.size() == 2);
        asked().put("decided_by", "Ada").put("status", "approved");
        assertThat(said(again)).doesNotContain("Error");
        assertThat(folder.resolve("a.txt")).hasContent("one");
    }

    @Test
    void a_call_that_is_too_long_to_be_read_whole_is_not_asked_for() throws Exception {
        String script = "script:\ncall write {\"path\":\"a.txt\",\"text\":\"" + "x".repeat(12_000) + "\"}";

        String said = said(send(UUID.randomUUID().toString(), start("tools: [files]\nunasked: []"), script));

        assertThat(said).contains("is to read all of it: at most 12000 characters");
        assertThat(agents.platform.approvals).isEmpty();
    }

    @Test
    void an_argument_that_the_tool_does_not_have_is_refused_before_anybody_is_asked() throws Exception {
        String script = "script:\ncall run {\"note\":\"./check --dry-run\",\"command\":\"echo x > pwned\"}";

        String said = said(send(UUID.randomUUID().toString(), start("tools: [run]\nunasked: []"), script));

        assertThat(said).contains("no argument is called note. There is command, timeout_seconds");
        assertThat(agents.platform.approvals).isEmpty();
        assertThat(folder.resolve("pwned")).doesNotExist();
    }

    @Test
    void the_headline_is_the_argument_that_the_tool_requires_first_in_whatever_order_the_model_wrote_them()
            throws Exception {
        var answer = send(
                UUID.randomUUID().toString(),
                start("tools: [files]\nunasked: []"),
                "script:\ncall write {\"text\":\"./check\",\"path\":\"a.txt\"}");
        var approval = asked();

        assertThat(approval.path("action").asText()).isEqualTo("write a.txt");
        approval.put("decided_by", "Ada").put("status", "denied");
        assertThat(said(answer)).contains("denied by Ada");
    }

    @Test
    void tools_of_a_server_ask_unless_they_are_named_one_by_one_or_all_together() {
        var none = new Unasked(Set.of());
        var one = new Unasked(Set.of("hub__add"));
        var all = new Unasked(Set.of("hub__*", "files"));

        assertThat(none.asks("hub__add")).isTrue();
        assertThat(one.asks("hub__add")).isFalse();
        assertThat(one.asks("hub__remove")).isTrue();
        assertThat(all.asks("hub__remove")).isFalse();
        assertThat(all.asks("other__remove")).isTrue();
        assertThat(all.asks("write")).isFalse();
        assertThat(all.asks("run")).isTrue();
        for (String looking : List.of("read", "glob", "find_tools", "ask", "request_approval")) {
            assertThat(none.asks(looking)).as(looking).isFalse();
        }
    }

    @Test
    void what_cannot_be_held_back_does_not_start_with_such_a_promise() {
        assertThatThrownBy(() -> agents.start(ID, "Worker\nunasked: []", "echo", Map.of()))
                .hasStackTraceContaining("has tools that the platform cannot hold back");
    }

    private String start(String config) throws Exception {
        var environment = new HashMap<>(
                Map.of("MODEL_PROVIDER", "scripted", "MOLECULE_WORKSPACE_FOLDER", folder.toString(), "TIER", "3"));
        environment.put("OPENAI_BASE_URL", endpoint.url());
        return agents.start(ID, "Worker\n" + config, "langchain4j", environment);
    }

    /** Whether the agent's files say that of a task: it would be found again. */
    private boolean hasKept(String event) throws IOException {
        try (var files = Files.walk(home.resolve(ID))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains("\"" + event + "\"")) {
                    return true;
                }
            }
        }
        return false;
    }

    private ObjectNode asked() {
        await().until(() -> !agents.platform.approvals.isEmpty());
        return agents.platform.approvals.getFirst();
    }

    private static String said(CompletableFuture<JsonNode> answer) throws Exception {
        return answer.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .at("/result/artifacts/0/parts/0/text")
                .asText();
    }

    private static CompletableFuture<JsonNode> send(String messageId, String url, String text) {
        var json = new ObjectMapper();
        var request = json.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", "message/send");
        var message = request.putObject("params").putObject("message");
        message.put("kind", "message").put("role", "user").put("messageId", messageId);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return json.readTree(HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(url))
                                        .header("Content-Type", "application/json")
                                        .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body());
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
    }
}
