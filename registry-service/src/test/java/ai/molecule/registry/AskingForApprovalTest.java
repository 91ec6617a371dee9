package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.registry.RunningRegistry.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /workspaces/:id/approvals} and {@code /approvals/pending}. */
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
        assertThat(registry.events(agent).getLast())
                .startsWith(
                        "APPROVAL_REQUESTED {\"action\":\"deploy\",\"reason\":\"it is green\",\"context\":{\"env\":\"prod\"},\"task_id\":\"t-1\",\"expires_at\":\"")
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

    @ParameterizedTest
    @CsvSource({"approved,APPROVAL_APPROVED", "denied,APPROVAL_DENIED"})
    void a_decision_is_told_under_both_names_and_counts_once(String decision, String olderName) {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\",\"task_id\":\"t-7\"}").text("approval_id");

        assertThat(decide(agent, id, "{\"decision\":\"%s\",\"decided_by\":\"ann\"}".formatted(decision)))
                .hasToString("200 {\"approval_id\":\"%s\",\"status\":\"%s\"}".formatted(id, decision));

        var events = registry.events(agent);
        assertThat(events.subList(events.size() - 2, events.size()))
                .containsExactly(
                        "%s {\"task_id\":\"t-7\",\"decision\":\"%s\",\"decided_by\":\"ann\",\"approval_id\":\"%s\",\"decided_with\":\"admin-token\"}"
                                .formatted(olderName, decision, id),
                        "APPROVAL_DECIDED {\"status\":\"%s\",\"task_id\":\"t-7\",\"decided_by\":\"ann\",\"approval_id\":\"%s\",\"decided_with\":\"admin-token\"}"
                                .formatted(decision, id));
        var row = registry.get("/workspaces/" + agent + "/approvals", ADMIN)
                .json()
                .get(0);
        assertThat(row.path("status").asText()).isEqualTo(decision);
        assertThat(row.path("decided_by").asText()).isEqualTo("ann");
        assertThat(row.path("decided_at").isTextual()).isTrue();
        assertThat(registry.get("/approvals/pending", ADMIN)).hasToString("200 []");
        assertThat(decide(agent, id, "{\"decision\":\"denied\"}")).hasToString(GONE);
        assertThat(registry.events(agent)).hasSameSizeAs(events);
    }

    @Test
    void of_two_who_decide_at_once_one_wins_and_the_other_is_told() {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");

        var answers = IntStream.range(0, 8)
                .mapToObj(nth -> CompletableFuture.supplyAsync(() ->
                        decide(agent, id, "{\"decision\":\"%s\"}".formatted(nth % 2 == 0 ? "approved" : "denied"))))
                .toList();

        var statuses =
                answers.stream().map(answer -> answer.join().status()).sorted().toList();
        assertThat(statuses).containsExactly(200, 404, 404, 404, 404, 404, 404, 404);
        assertThat(registry.eventTypes(agent)).hasSize(4);
        assertThat(registry.get("/workspaces/" + agent + "/approvals", ADMIN)
                        .json()
                        .get(0)
                        .path("decided_by")
                        .asText())
                .isEqualTo("human");
    }

    @Test
    void reading_decides_nothing_and_what_nobody_decided_is_denied_at_its_own_time_and_told() {
        String agent = registry.create("Agent");
        String soon = ask(
                        agent,
                        "{\"action\":\"soon\",\"context\":{\"env\":\"prod\"},\"expires_at\":\"%s\"}"
                                .formatted(CLOCK.instant().plus(Duration.ofHours(1))))
                .text("approval_id");
        CLOCK.advance(Duration.ofMillis(1));
        ask(agent, "{\"action\":\"late\"}");
        CLOCK.advance(Duration.ofMinutes(59));

        var pending = registry.get("/approvals/pending", ADMIN).json();
        assertThat(pending.findValuesAsText("action")).containsExactly("soon", "late");
        assertThat(pending.get(0).path("context").toString()).isEqualTo("{\"env\":\"prod\"}");
        CLOCK.advance(Duration.ofMinutes(2));

        await().until(() -> registry.eventTypes(agent).contains("APPROVAL_DECIDED"));
        assertThat(registry.events(agent))
                .endsWith(
                        "APPROVAL_DECIDED {\"status\":\"denied\",\"task_id\":\"\",\"decided_by\":\"auto-expired\",\"approval_id\":\"%s\",\"decided_with\":\"expiry\"}"
                                .formatted(soon));
        assertThat(registry.get("/approvals/pending", ADMIN).json().findValuesAsText("action"))
                .containsExactly("late");
        assertThat(decide(agent, soon, "{\"decision\":\"approved\"}")).hasToString(GONE);
        CLOCK.advance(Duration.ofDays(7));
        assertThat(registry.get("/approvals/pending", ADMIN)).hasToString("200 []");
        await().until(() ->
                registry.sql("SELECT 1 FROM approvals WHERE status = 'pending'").size() == 0);
    }

    @Test
    void a_decision_with_grace_is_told_when_it_is_over_and_can_be_taken_back_before() {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");
        String path = "/workspaces/%s/approvals/%s/decide".formatted(agent, id);
        String wish = "{\"decision\":\"approved\",\"decided_by\":\"ann\",\"grace_seconds\":60}";

        assertThat(decide(agent, id, wish).json().path("takes_effect_at").isTextual())
                .isTrue();
        assertThat(registry.get("/approvals/pending", ADMIN)
                        .json()
                        .get(0)
                        .path("decision")
                        .asText())
                .isEqualTo("approved");
        assertThat(first(agent).path("status").asText()).isEqualTo("pending");
        assertThat(first(agent).path("decided_by").isNull()).isTrue();
        assertThat(decide(agent, id, "{\"decision\":\"denied\"}")).hasToString(GONE);
        assertThat(registry.delete(path, ADMIN))
                .hasToString("200 {\"approval_id\":\"%s\",\"status\":\"pending\"}".formatted(id));
        assertThat(registry.delete(path, ADMIN)).hasToString(GONE);
        assertThat(registry.eventTypes(agent)).endsWith("APPROVAL_REQUESTED");

        decide(agent, id, wish);
        CLOCK.advance(Duration.ofSeconds(60));
        assertThat(registry.delete(path, ADMIN)).hasToString(GONE);
        await().until(() -> registry.eventTypes(agent).contains("APPROVAL_DECIDED"));
        assertThat(first(agent).path("status").asText()).isEqualTo("approved");
        assertThat(first(agent).path("decided_by").asText()).isEqualTo("ann");
        assertThat(first(agent).path("decided_with").asText()).isEqualTo("admin-token");
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
    void in_production_nobody_decides_its_own_unless_that_door_is_open() {
        for (boolean open : new boolean[] {false, true}) {
            String door = open ? "1" : "0";
            try (var production = RunningRegistry.startInProduction("MOLECULE_OPEN_SELF_APPROVAL", door)) {
                String agent = production.create("Agent", "\"external\":true");
                String token = production.mint(agent);
                String path = "/workspaces/" + agent + "/approvals";
                String id =
                        production.post(path, "{\"action\":\"deploy\"}", token).text("approval_id");

                var answer = production.post(
                        path + "/" + id + "/decide",
                        "{\"decision\":\"approved\",\"decided_by\":\"alice@corp.example\"}",
                        token);

                if (open) {
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(production.get(path, token).body())
                            .contains("\"decided_with\":\"workspace:" + agent + "\"");
                } else {
                    assertThat(answer).hasToString("403 {\"error\":\"a workspace does not decide its own approvals\"}");
                    assertThat(production
                                    .delete(path + "/" + id + "/decide", token)
                                    .status())
                            .isEqualTo(403);
                    assertThat(production.get(path, token).body()).contains("\"status\":\"pending\"");
                }
            }
        }
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|invalid request body",
                "{\"approved\":true}|invalid request body",
                "{\"decision\":\"\"}|invalid request body",
                "{\"decision\":true}|invalid request body",
                "{\"decision\":\"approved\",\"decided_by\":7}|invalid request body",
                "{\"decision\":\"approved\",\"decided_by\":\"\\u0000\"}|invalid request body",
                "{\"decision\":\"approved\",\"grace_seconds\":3601}|grace_seconds must be between 0 and 3600",
                "{\"decision\":\"approved\",\"grace_seconds\":-1}|grace_seconds must be between 0 and 3600",
                "{\"decision\":\"Approved\"}|decision must be 'approved' or 'denied'",
                "{\"decision\":\"pending\"}|decision must be 'approved' or 'denied'"
            })
    void a_decision_that_is_none_leaves_it_open(String body, String error) {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\",\"task_id\":null}").text("approval_id");

        assertThat(decide(agent, id, body)).hasToString("400 {\"error\":\"%s\"}".formatted(error));
        assertThat(registry.get("/approvals/pending", ADMIN).json()).hasSize(1);
    }

    @Test
    void unknown_workspaces_and_approvals_are_not_found() {
        String agent = registry.create("Agent");
        String decision = "{\"decision\":\"approved\"}";

        assertThat(ask(UUID.randomUUID().toString(), "{\"action\":\"x\"}"))
                .hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(ask("nonsense", "{\"action\":\"x\"}")).hasToString("400 {\"error\":\"invalid workspace ID\"}");
        for (String id : List.of(UUID.randomUUID().toString(), "nonsense", "%00")) {
            assertThat(decide(agent, id, decision)).hasToString(GONE);
        }
        assertThat(registry.get("/workspaces/" + UUID.randomUUID() + "/approvals", ADMIN))
                .hasToString("200 []");
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
