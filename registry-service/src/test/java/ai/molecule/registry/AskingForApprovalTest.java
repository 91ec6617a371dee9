package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.registry.RunningRegistry.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents ask, and who decides sees what waits: {@code /workspaces/:id/approvals} and {@code /approvals/pending}. */
class AskingForApprovalTest {

    private static final String GONE = "404 {\"error\":\"approval not found or already decided\"}";
    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(CLOCK);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @BeforeEach
    void forgetTheOthers() {
        registry.sql("DELETE FROM approvals");
    }

    @Test
    void a_long_context_is_kept_and_not_told_to_every_canvas() {
        String agent = registry.create("Agent");

        registry.post(
                "/workspaces/" + agent + "/approvals",
                "{\"action\":\"deploy\",\"context\":{\"log\":\"%s\"}}".formatted("x".repeat(20_000)),
                ADMIN);

        assertThat(registry.events(agent).getLast())
                .contains("\"context_left_out\":true")
                .doesNotContain("xxx");
    }

    @Test
    void what_an_agent_asks_is_listed_and_told_to_its_parent() {
        String lead = registry.create("Lead");
        String agent = registry.child("Agent", lead);
        String token = registry.token(agent);

        var asked = registry.post(
                "/workspaces/" + agent + "/approvals",
                "{\"action\":\"deploy\",\"reason\":\"it is green\",\"task_id\":\"t-1\",\"context\":{\"env\":\"prod\"}}",
                token);
        String id = asked.text("approval_id");

        assertThat(asked).hasToString("201 {\"approval_id\":\"%s\",\"status\":\"pending\"}".formatted(id));
        assertThat(registry.events(agent).getLast().replaceFirst("[0-9a-f]{64}", "X"))
                .startsWith(
                        "APPROVAL_REQUESTED {\"action\":\"deploy\",\"digest\":\"X\",\"reason\":\"it is green\",\"context\":{\"env\":\"prod\"},\"task_id\":\"t-1\",\"expires_at\":\"")
                .endsWith("Z\",\"approval_id\":\"%s\"}".formatted(id));
        assertThat(registry.events(lead))
                .endsWith(
                        "APPROVAL_ESCALATED {\"action\":\"deploy\",\"reason\":\"it is green\",\"task_id\":\"t-1\",\"approval_id\":\"%s\",\"from_workspace_id\":\"%s\"}"
                                .formatted(id, agent));
        var listed = registry.get("/workspaces/" + agent + "/approvals", token);
        assertThat(listed.body())
                .startsWith(
                        ("[{\"id\":\"%s\",\"task_id\":\"t-1\",\"action\":\"deploy\",\"reason\":\"it is green\",\"status\":\"pending\","
                                        + "\"decided_by\":null,\"decided_at\":null,\"created_at\":\"")
                                .formatted(id));
        var pending = registry.get("/approvals/pending", ADMIN);
        assertThat(pending.body())
                .startsWith(
                        ("[{\"id\":\"%s\",\"workspace_id\":\"%s\",\"workspace_name\":\"Agent\",\"action\":\"deploy\",\"reason\":\"it is"
                                        + " green\",\"status\":\"pending\",\"created_at\":\"")
                                .formatted(id, agent));
        assertThat(pending.json()).hasSize(1);
    }

    @Test
    void an_approval_is_read_by_its_id_however_many_came_after_it() {
        String agent = registry.create("Agent");
        String other = registry.create("Other");
        String id = ask(agent, "{\"action\":\"deploy\",\"task_id\":\"t-1\"}").text("approval_id");
        String path = "/workspaces/" + agent + "/approvals";
        registry.sql("""
                INSERT INTO approvals (id, workspace_id, task_id, action, reason, status, decided_by, decided_with, created_at, expires_at)
                SELECT gen_random_uuid(), workspace_id, task_id, action, reason, 'approved', 'Ada', 'none', created_at + interval '1 hour',
                    expires_at
                FROM approvals, generate_series(1, 50) WHERE id = $1
                """, UUID.fromString(id));

        assertThat(registry.get(path, ADMIN).body()).doesNotContain(id);
        var one = registry.get(path + "/" + id, registry.token(agent));

        assertThat(one.status()).isEqualTo(200);
        assertThat(one.text("id")).isEqualTo(id);
        assertThat(one.text("status")).isEqualTo("pending");
        assertThat(registry.get(path + "/" + id + "?wait=x", ADMIN))
                .hasToString("400 {\"error\":\"wait must be a whole number of seconds\"}");
        String unknown = "404 {\"error\":\"approval not found\"}";
        assertThat(registry.get("/workspaces/" + other + "/approvals/" + id, ADMIN))
                .hasToString(unknown);
        assertThat(registry.get(path + "/nonsense?wait=25", ADMIN)).hasToString(unknown);
    }

    @Test
    void whoever_waits_for_an_approval_is_answered_once_it_is_decided() {
        String agent = registry.create("Agent");
        String first = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");
        String second = ask(agent, "{\"action\":\"publish\"}").text("approval_id");
        String path = "/workspaces/" + agent + "/approvals/";
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waits = CompletableFuture.supplyAsync(() -> registry.get(path + second + "?wait=25", ADMIN), threads);

            decide(agent, first, "{\"decision\":\"approved\"}");
            assertThat(registry.get(path + second + "?wait=1", ADMIN).text("status"))
                    .isEqualTo("pending");
            assertThat(waits).isNotDone();
            decide(agent, second, "{\"decision\":\"denied\",\"decided_by\":\"Ada\"}");

            assertThat(waits.join().text("status")).isEqualTo("denied");
            assertThat(waits.join().text("decided_by")).isEqualTo("Ada");
        }
    }

    @Test
    void the_tasks_that_wait_are_those_of_pending_approvals_that_name_one() {
        String agent = registry.create("Agent");
        String decided =
                ask(agent, "{\"action\":\"deploy\",\"task_id\":\"t-1\"}").text("approval_id");
        String open = ask(agent, "{\"action\":\"deploy\",\"task_id\":\"t-2\"}").text("approval_id");
        ask(agent, "{\"action\":\"deploy\"}");
        decide(agent, decided, "{\"decision\":\"approved\"}");

        var waiting = registry.bus
                .call(TaskApprovals.CONTRACT, new TaskApprovals(null, TaskApprovals.LIMIT_MAX))
                .await();

        assertThat(waiting.approvals())
                .extracting(TaskApprovals.One::id, TaskApprovals.One::workspaceId, TaskApprovals.One::taskId)
                .containsExactly(tuple(UUID.fromString(open), UUID.fromString(agent), "t-2"));
    }

    @Test
    void pending_ones_are_paged_in_the_order_they_came_and_none_of_removed_workspaces() {
        List<String> agents = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            String agent = registry.create("Agent " + i);
            agents.add(agent);
            for (int nth = 0; nth < 5; nth++) {
                CLOCK.advance(Duration.ofMillis(1));
                ask(agent, "{\"action\":\"%d.%d\"}".formatted(i, nth));
            }
        }

        var page = registry.get("/approvals/pending", ADMIN).json();
        assertThat(page).hasSize(50);
        assertThat(page.get(0).path("action").asText()).isEqualTo("0.0");
        String last = page.get(49).path("id").asText();
        var next = registry.get("/approvals/pending?after=" + last, ADMIN).json();
        assertThat(next.findValuesAsText("action")).containsExactly("10.0", "10.1", "10.2", "10.3", "10.4");
        String tenth = next.get(0).path("id").asText();
        var before = registry.get("/approvals/pending?before=" + tenth, ADMIN).json();
        assertThat(before).isEqualTo(page);
        assertThat(registry.get("/approvals/pending?after=" + UUID.randomUUID(), ADMIN))
                .hasToString("410 {\"error\":\"unknown cursor\"}");
        assertThat(registry.get("/approvals/pending?after=x", ADMIN)).hasToString("400 {\"error\":\"invalid query\"}");
        registry.delete("/workspaces/" + agents.getFirst(), ADMIN);
        assertThat(registry.get("/approvals/pending", ADMIN)
                        .json()
                        .get(0)
                        .path("action")
                        .asText())
                .isEqualTo("1.0");
    }

    @Test
    void five_at_a_time_are_enough_so_that_nobody_is_hidden_behind_them() {
        String agent = registry.create("Agent");
        for (int i = 0; i < 5; i++) {
            ask(agent, "{\"action\":\"nth\"}");
        }

        assertThat(ask(agent, "{\"action\":\"one more\"}"))
                .hasToString("429 {\"error\":\"maximum 5 pending approvals per workspace\"}");
        assertThat(ask(registry.create("Other"), "{\"action\":\"genuine\"}").status())
                .isEqualTo(201);
        String id = first(agent).path("id").asText();
        decide(agent, id, "{\"decision\":\"denied\"}");
        assertThat(ask(agent, "{\"action\":\"one more\"}").status()).isEqualTo(201);
        assertThat(ask(agent, "{\"action\":\"%s\"}".formatted("x".repeat(70_000)))
                        .status())
                .isEqualTo(413);
    }

    @Test
    void an_agent_neither_asks_nor_decides_for_another() {
        String agent = registry.create("Agent");
        String other = registry.create("Other");
        String token = registry.token(other);
        registry.token(agent);
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");

        assertThat(registry.post("/workspaces/" + agent + "/approvals", "{\"action\":\"x\"}", token)
                        .status())
                .isEqualTo(401);
        assertThat(registry.post(
                        "/workspaces/%s/approvals/%s/decide".formatted(other, id),
                        "{\"decision\":\"approved\"}",
                        token))
                .hasToString(GONE);
        assertThat(registry.get("/approvals/pending", token).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{}",
                "{\"action\":\"\"}",
                "{\"action\":null}",
                "{\"action\":7}",
                "{\"action\":\"a\\u0000\"}",
                "{\"action\":\"a\",\"reason\":[]}",
                "{\"action\":\"a\",\"task_id\":1}",
                "{\"action\":\"a\",\"context\":\"text\"}",
                "{\"action\":\"a\",\"context\":[1]}",
                "{\"action\":\"a\",\"context\":{\"n\":1e999999}}",
                "{\"action\":\"a\",\"expires_at\":7}"
            })
    void a_request_that_makes_no_sense_is_refused_and_not_kept(String body) {
        String agent = registry.create("Agent");

        assertThat(ask(agent, body)).hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.count("approvals")).isZero();
        assertThat(registry.eventTypes(agent)).hasSize(1);
    }

    private static JsonNode first(String workspace) {
        return registry.get("/workspaces/" + workspace + "/approvals", ADMIN)
                .json()
                .get(0);
    }

    private static Answer ask(String workspace, String body) {
        return registry.post("/workspaces/" + workspace + "/approvals", body, ADMIN);
    }

    private static Answer decide(String workspace, String id, String body) {
        return registry.post("/workspaces/%s/approvals/%s/decide".formatted(workspace, id), body, ADMIN);
    }
}
