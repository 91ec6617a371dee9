package ai.molecule.runtime.tools;

import static ai.molecule.runtime.tools.ScriptedPlatform.ME;
import static ai.molecule.runtime.tools.ScriptedPlatform.PEER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.identity.Passport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each tool: what it asks of the platform, and what it says to the model. */
class UsingToolsTest {

    private static final String SEND = "POST /workspaces/" + PEER + "/a2a";
    private static final String DELEGATE = "POST /workspaces/" + ME + "/delegate";
    private static final String MINE = "/workspaces/" + ME;

    @TempDir
    private Path folder;

    private ScriptedPlatform platform;
    private Toolbox toolbox;

    @BeforeEach
    void start() throws IOException {
        platform = new ScriptedPlatform();
        platform.on("POST " + MINE + "/activity", 200, "{\"status\":\"logged\"}");
        platform.on(
                "GET /registry/" + ME + "/peers",
                200,
                "[{\"id\":\"" + PEER + "\",\"name\":\"Bob\",\"role\":null,\"status\":\"online\"}]");
        toolbox = new Toolbox(new Workspaces(List.of(platform.workspace(ME))), Optional.empty());
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void a_task_goes_through_the_platform_in_our_own_name_and_the_answer_comes_back() throws Exception {
        platform.on(
                SEND,
                200,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"seven\"}]}}");
        use("list_peers", Map.of());

        assertThat(use("delegate_task", Map.of("workspace_id", PEER, "task", "count the ships")))
                .isEqualTo("seven");

        var sent = platform.only(SEND);
        assertThat(sent.header("X-Workspace-ID")).isEqualTo(ME);
        assertThat(sent.header("Authorization")).isEqualTo("Bearer token-of-" + ME);
        assertThat(sent.header("X-Timeout")).isEqualTo("300");
        assertThat(sent.json().path("method").asText()).isEqualTo("message/send");
        assertThat(sent.json().at("/params/message/parts/0/text").asText()).isEqualTo("count the ships");
        assertThat(platform.requests("POST " + MINE + "/activity"))
                .extracting(noted -> noted.json().path("summary").asText())
                .containsExactly("Delegating to Bob", "Bob responded (5 chars)");
        assertThat(platform.requests("POST " + MINE + "/activity")
                        .getFirst()
                        .json()
                        .path("message_id"))
                .isEqualTo(sent.json().at("/params/message/messageId"));
    }

    @Test
    void what_the_passport_of_the_work_does_not_name_is_not_done_and_what_it_does_shows_it() throws Exception {
        platform.on(SEND, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[]}}");
        String claims =
                "{\"jti\":\"j\",\"sub\":\"person:kim\",\"name\":\"Kim\",\"aud_name\":\"Me\",\"exp\":4000000000,\"tools\":[\"delegate_task\"]}";
        String jws = "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(UTF_8)) + ".AA";
        var work = TraceContext.of(Optional.empty(), Optional.empty()).under(Passport.kept(jws));

        assertThat(during(work, "commit_memory", Map.of("content", "x")))
                .isEqualTo(
                        "Error: commit_memory is not allowed for this work: Kim asked Me, and allowed only delegate_task");
        during(work, "delegate_task", Map.of("workspace_id", PEER, "task", "count"));

        assertThat(platform.only(SEND).header("X-Molecule-Passport")).isEqualTo(jws);
        assertThat(platform.requests("POST " + MINE + "/memories")).isEmpty();
    }

    private String during(TraceContext work, String tool, Map<String, Object> arguments) {
        return work.during(() -> {
            try {
                return use(tool, arguments);
            } catch (Exception broken) {
                throw new AssertionError(broken);
            }
        });
    }

    @Test
    void a_task_that_fails_says_why_and_what_else_can_be_done() throws Exception {
        platform.on(SEND, 200, "{\"result\":{\"parts\":[{\"text\":\"Agent error: out of ink\"}]}}");

        assertThat(delegate())
                .startsWith("DELEGATION FAILED to " + PEER + ": [A2A_ERROR] Agent error: out of ink\n")
                .contains("list_peers");

        platform.on(SEND, 200, "{\"error\":{\"code\":-32603,\"message\":\"broken\"}}");
        assertThat(delegate()).contains("[A2A_ERROR] broken (code=-32603)");
        platform.on(SEND, 403, "{\"error\":\"access denied\"}");
        assertThat(delegate()).contains("not found or not accessible (check access control)");
        platform.on(SEND, 504, "{\"error\":\"agent still working\",\"delivered\":true}");
        assertThat(delegate()).contains("may still be working on it");
    }

    @Test
    void a_peer_that_asks_is_shown_with_its_question_and_its_task_goes_on_with_the_answer() throws Exception {
        platform.first(SEND, 200, ended("input-required", "which colour?"))
                .on(SEND, 200, "{\"result\":{\"parts\":[{\"text\":\"painted\"}]}}");

        assertThat(delegate())
                .startsWith(PEER + " asks: which colour?\n")
                .contains("task_id \"t-9\"")
                .doesNotContain("need");
        assertThat(use("delegate_task", Map.of("workspace_id", PEER, "task", "red", "task_id", "t-9")))
                .isEqualTo("painted");

        var message = platform.requests(SEND).getLast().json().at("/params/message");
        assertThat(message.path("taskId").asText()).isEqualTo("t-9");
        assertThat(message.at("/parts/0/text").asText()).isEqualTo("red");
    }

    @Test
    void a_peer_that_waits_for_an_authorization_has_not_failed() throws Exception {
        platform.on(SEND, 200, ended("auth-required", "sign in at the bank"));

        assertThat(delegate()).startsWith(PEER + " waits for an authorization: sign in at the bank\n");
    }

    @Test
    void a_peer_that_fails_or_rejects_is_shown_with_its_reason_first() throws Exception {
        for (String state : List.of("failed", "rejected")) {
            platform.on(SEND, 200, ended(state, "it broke"));

            assertThat(delegate()).startsWith("DELEGATION FAILED to " + PEER + ": [A2A_ERROR] it broke\nneed");
        }
    }

    /** After it had said "need". */
    private static String ended(String state, String words) {
        return ("{'result':{'kind':'task','id':'t-9','artifacts':[{'parts':[{'text':'need'}]}]," + "'status':{'state':'"
                        + state + "','message':{'parts':[{'text':'" + words + "'}]}}}}")
                .replace('\'', '"');
    }

    @Test
    void a_peer_that_ended_before_it_kept_the_message_is_sent_the_same_once_it_is_back() throws Exception {
        String gone = "{\"error\":\"workspace agent unreachable — container restart triggered\",\"restarting\":true}";
        platform.first(SEND, 503, gone)
                .first(SEND, 503, gone)
                .first(SEND, 200, "{\"error\":{\"code\":-32001,\"message\":\"task not found\"}}")
                .on(SEND, 200, "{\"result\":{\"parts\":[{\"text\":\"done\"}]}}");

        assertThat(delegate()).isEqualTo("done");

        assertThat(platform.requests(SEND))
                .extracting(request -> request.json().path("method").asText())
                .containsExactly(
                        "message/send", "molecule/tasks/byMessage", "molecule/tasks/byMessage", "message/send");
        assertThat(platform.requests(SEND).getLast().json().at("/params/message/messageId"))
                .isEqualTo(platform.requests(SEND).getFirst().json().at("/params/message/messageId"));
    }

    @Test
    void a_peer_that_ended_and_might_run_the_message_twice_is_not_sent_it_again() throws Exception {
        platform.first(SEND, 503, "{\"error\":\"workspace agent unreachable — container restart triggered\"}")
                .on(SEND, 200, "{\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");

        assertThat(delegate()).contains("[A2A_ERROR] workspace agent unreachable");
        assertThat(platform.requests(SEND)).hasSize(2);
    }

    @Test
    void a_message_that_waits_for_its_peer_is_not_sent_again() throws Exception {
        platform.on(SEND, 200, "{\"result\":{\"status\":\"queued\",\"delivery_mode\":\"poll\"}}");

        assertThat(delegate()).contains("has the message in its queue");
        assertThat(platform.requests(SEND)).hasSize(1);
        assertThat(platform.requests(DELEGATE)).isEmpty();
    }

    @Test
    void a_task_without_a_target_or_to_oneself_asks_nothing_of_the_platform() throws Exception {
        assertThat(use("delegate_task", Map.of("workspace_id", PEER)))
                .isEqualTo("Error: workspace_id and task are required");
        assertThat(use("delegate_task", Map.of("workspace_id", "../../admin", "task", "do")))
                .startsWith("Error: workspace_id must be a UUID");
        assertThat(use("delegate_task_async", Map.of("workspace_id", ME, "task", "do")))
                .startsWith("Error: this is your own workspace");
        assertThat(platform.requests("")).isEmpty();
    }

    @Test
    void a_task_that_was_under_way_at_the_agents_end_is_not_sent_again_to_a_peer_that_might_run_it_twice()
            throws Exception {
        platform.on(SEND, 200, "{\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
        toolbox = toolbox.during(new MadeBefore());

        assertThat(delegate()).startsWith("Error: the agent was restarted while the peer was asked");

        assertThat(platform.only(SEND).json().path("method").asText()).isEqualTo("molecule/tasks/byMessage");
    }

    private record MadeBefore() implements Toolbox.Call {
        @Override
        public String taskId() {
            return "t-1";
        }

        @Override
        public String key() {
            return "t-1/1/c-1";
        }

        @Override
        public Optional<String> noted() {
            return Optional.of("sent");
        }

        @Override
        public boolean note(String text) {
            return true;
        }
    }

    @Test
    void a_task_given_away_has_an_id_and_a_key_of_source_target_and_task() throws Exception {
        platform.on(DELEGATE, 202, "{\"delegation_id\":\"d-1\",\"status\":\"delegated\"}");

        assertThat(use("delegate_task_async", Map.of("workspace_id", PEER, "task", "do")))
                .contains("\"delegation_id\":\"d-1\"", "\"status\":\"delegated\"", PEER);
        assertThat(platform.only(DELEGATE).json().path("idempotency_key").asText())
                .isEqualTo("af58c7f16bccf398e84aee8c01b58463");
        assertThat(platform.only(DELEGATE).json().path("target_id").asText()).isEqualTo(PEER);

        platform.on(DELEGATE, 409, "{\"error\":\"idempotency_key was used for another task\"}");
        assertThat(use("delegate_task_async", Map.of("workspace_id", PEER, "task", "do")))
                .isEqualTo("Error: delegation failed with status 409: idempotency_key was used for another task");
    }

    @Test
    void what_became_of_a_task_is_the_newest_row_about_it() throws Exception {
        platform.on(
                "GET " + MINE + "/delegations",
                200,
                "[{\"delegation_id\":\"d-1\",\"status\":\"completed\"},{\"delegation_id\":\"d-1\",\"status\":\"pending\",\"x\":1}]");

        assertThat(use("check_task_status", Map.of("workspace_id", PEER, "task_id", "d-1")))
                .isEqualTo("{\"delegation_id\":\"d-1\",\"status\":\"completed\"}");
        assertThat(use("check_task_status", Map.of("workspace_id", PEER, "task_id", "d-2")))
                .isEqualTo("{\"status\":\"not_found\",\"delegation_id\":\"d-2\"}");
        assertThat(use("check_task_status", Map.of())).endsWith("\"count\":2}").doesNotContain("\"x\"");
    }

    @Test
    void a_task_whose_agent_could_only_say_in_words_that_it_failed_has_failed() throws Exception {
        platform.on(
                "GET " + MINE + "/delegations",
                200,
                "[{\"delegation_id\":\"d-1\",\"status\":\"completed\",\"response_preview\":\"Agent error: no key\"},"
                        + "{\"delegation_id\":\"d-1\",\"status\":\"completed\"}]");

        assertThat(use("check_task_status", Map.of("workspace_id", PEER, "task_id", "d-1")))
                .isEqualTo("{\"delegation_id\":\"d-1\",\"status\":\"failed\",\"error\":\"Agent error: no key\"}");
        assertThat(use("check_task_status", Map.of())).doesNotContain("completed");
    }

    @Test
    void peers_stand_on_a_line_each_and_their_absence_is_explained() throws Exception {
        assertThat(use("list_peers", Map.of())).isEqualTo("- Bob (ID: " + PEER + ", status: online, role: )");

        platform.on("GET /registry/" + ME + "/peers", 200, "[]");
        assertThat(use("list_peers", Map.of())).isEqualTo("No peers available (this workspace may be isolated)");
        platform.on("GET /registry/" + ME + "/peers", 401, "{\"error\":\"no\"}");
        assertThat(use("list_peers", Map.of())).startsWith("No peers found. authentication failed");
    }

    @Test
    void ones_own_workspace_is_shown_or_that_there_is_none() throws Exception {
        platform.on("GET " + MINE, 200, "{\"id\":\"x\",\"name\":\"Ann\"}");
        assertThat(use("get_workspace_info", Map.of())).contains("\"name\" : \"Ann\"");

        platform.on("GET " + MINE, 410, "{\"error\":\"gone\"}");
        assertThat(use("get_workspace_info", Map.of())).contains("removed");
        platform.on("GET " + MINE, 500, "oops");
        assertThat(use("get_workspace_info", Map.of())).contains("not found");
    }

    @Test
    void a_broadcast_reaches_a_hundred_peers_and_says_how_many_it_left_out() throws Exception {
        var rows = Json.MAPPER.createArrayNode();
        for (int i = 0; i < 102; i++) {
            rows.addObject().put("id", "peer-" + i).put("name", "P");
        }
        platform.on("GET /registry/" + ME + "/peers", 200, rows.toString());
        platform.on(DELEGATE, 202, "{\"delegation_id\":\"d\"}");

        var answer = Json.MAPPER.readTree(use("broadcast_message", Map.of("message", "lunch")));

        assertThat(answer.path("sent")).hasSize(100);
        assertThat(answer.path("left_out").asInt()).isEqualTo(2);
        assertThat(platform.requests(DELEGATE)).hasSize(100);
    }

    @Test
    void the_user_sees_a_message_with_its_files() throws Exception {
        Path file = Files.writeString(folder.resolve("plan.txt"), "the plan");
        platform.on(
                "POST " + MINE + "/chat/uploads",
                200,
                "{\"files\":[{\"uri\":\"workspace:/a\",\"name\":\"plan.txt\"}]}");
        platform.on("POST " + MINE + "/notify", 200, "{\"status\":\"sent\"}");

        assertThat(use("send_message_to_user", Map.of("message", "done", "attachments", List.of(file.toString(), 7))))
                .isEqualTo("Message sent to user with 1 attachment(s)");

        var upload = platform.only("POST " + MINE + "/chat/uploads");
        assertThat(upload.header("Content-Type")).startsWith("multipart/form-data; boundary=");
        assertThat(upload.header("Authorization")).isEqualTo("Bearer token-of-" + ME);
        assertThat(upload.body())
                .contains("name=\"files\"; filename=\"plan.txt\"", "Content-Type: text/plain", "the plan");
        assertThat(platform.only("POST " + MINE + "/notify")
                        .json()
                        .at("/attachments/0/uri")
                        .asText())
                .isEqualTo("workspace:/a");
    }

    @Test
    void a_missing_file_keeps_the_message_back() throws Exception {
        assertThat(use("send_message_to_user", Map.of("message", "done", "attachments", List.of("/no/such/file"))))
                .startsWith("Error: attachment not found: /no/such/file");
        assertThat(use("send_message_to_user", Map.of("message", " "))).isEqualTo("Error: message is required");
        assertThat(platform.requests("")).isEmpty();
    }

    @Test
    void a_conversation_reads_from_its_beginning() throws Exception {
        platform.on("GET " + MINE + "/activity", 200, "[{\"id\":2},{\"id\":1}]");

        assertThat(use("chat_history", Map.of("peer_id", PEER, "limit", 9999, "before_ts", "2026-01-31T12:00:00Z")))
                .isEqualTo("[{\"id\":1},{\"id\":2}]");
        assertThat(platform.only("GET " + MINE + "/activity").line())
                .endsWith("?peer_id=" + PEER + "&limit=500&before_ts=2026-01-31T12%3A00%3A00Z");

        platform.on("GET " + MINE + "/activity", 400, "{\"error\":\"bad before_ts\"}");
        assertThat(use("chat_history", Map.of("peer_id", PEER))).isEqualTo("Error: bad before_ts");
        platform.on("GET " + MINE + "/activity", 500, "{}");
        assertThat(use("chat_history", Map.of("peer_id", PEER))).isEqualTo("Error: chat_history returned HTTP 500");
    }

    @Test
    void a_memory_is_kept_without_the_secrets_in_it() throws Exception {
        platform.on("POST " + MINE + "/memories", 201, "{\"id\":\"m-1\",\"scope\":\"LOCAL\"}");

        assertThat(use("commit_memory", Map.of("content", "key sk-" + "a".repeat(24) + " works", "scope", "nonsense")))
                .isEqualTo("{\"success\":true,\"id\":\"m-1\",\"scope\":\"LOCAL\"}");

        var kept = platform.only("POST " + MINE + "/memories").json();
        assertThat(kept.path("content").asText()).isEqualTo("key [REDACTED] works");
        assertThat(kept.path("scope").asText()).isEqualTo("LOCAL");
        platform.on(
                "POST " + MINE + "/memories", 403, "{\"error\":\"only root workspaces can write GLOBAL memories\"}");
        assertThat(use("commit_memory", Map.of("content", "x", "scope", "global")))
                .isEqualTo("Error: only root workspaces can write GLOBAL memories");
    }

    @Test
    void memories_are_found_with_their_scope() throws Exception {
        platform.on("GET " + MINE + "/memories", 200, "[{\"scope\":\"TEAM\",\"content\":\"tea at four\"}]");

        assertThat(use("recall_memory", Map.of("query", "tea & cake", "scope", "team")))
                .isEqualTo("[TEAM] tea at four");
        assertThat(platform.only("GET " + MINE + "/memories").line())
                .endsWith("?workspace_id=" + ME + "&q=tea%20%26%20cake&scope=TEAM");
        platform.on("GET " + MINE + "/memories", 200, "[]");
        assertThat(use("recall_memory", Map.of())).isEqualTo("No memories found.");
    }

    @Test
    void without_a_scope_memories_of_every_scope_are_found() throws Exception {
        platform.on("GET " + MINE + "/memories", 200, "[{\"scope\":\"X\",\"content\":\"tea\"}]");

        assertThat(use("recall_memory", Map.of("query", "tea"))).isEqualTo("[X] tea\n[X] tea\n[X] tea");
        assertThat(platform.requests("GET " + MINE + "/memories"))
                .extracting(request -> request.line().substring(request.line().indexOf("&scope=") + 7))
                .containsExactly("LOCAL", "TEAM", "GLOBAL");
    }

    @Test
    void without_the_platform_every_tool_answers_with_an_error_in_words() throws Exception {
        platform.close();

        for (ToolSpec tool : Tools.ALL) {
            String answer = use(
                    tool.name(),
                    Map.of(
                            "workspace_id",
                            tool.name().startsWith("delegate") ? PEER : "",
                            "task",
                            "x",
                            "peer_id",
                            PEER,
                            "message",
                            "x",
                            "content",
                            "x",
                            "activity_id",
                            "x"));
            assertThat(answer).as(tool.name()).containsPattern("Error|error|DELEGATION FAILED|cannot be reached");
        }
    }

    private String delegate() throws InterruptedException {
        return use("delegate_task", Map.of("workspace_id", PEER, "task", "do"));
    }

    private String use(String tool, Map<String, ?> arguments) throws InterruptedException {
        return Tools.get(tool).run(toolbox, Json.MAPPER.valueToTree(arguments));
    }
}
