package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.RunningRegistry.Answer;
import java.time.Duration;
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
        assertThat(registry.events(agent))
                .endsWith(
                        "APPROVAL_REQUESTED {\"action\":\"deploy\",\"reason\":\"it is green\",\"task_id\":\"t-1\",\"approval_id\":\"%s\"}"
                                .formatted(id));
        assertThat(registry.events(lead))
                .endsWith(
                        "APPROVAL_ESCALATED {\"action\":\"deploy\",\"reason\":\"it is green\",\"approval_id\":\"%s\",\"from_workspace_id\":\"%s\"}"
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
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");

        assertThat(decide(agent, id, "{\"decision\":\"%s\",\"decided_by\":\"ann\"}".formatted(decision)))
                .hasToString("200 {\"approval_id\":\"%s\",\"status\":\"%s\"}".formatted(id, decision));

        var events = registry.events(agent);
        assertThat(events.subList(events.size() - 2, events.size()))
                .containsExactly(
                        "%s {\"decision\":\"%s\",\"decided_by\":\"ann\",\"approval_id\":\"%s\"}"
                                .formatted(olderName, decision, id),
                        "APPROVAL_DECIDED {\"status\":\"%s\",\"decided_by\":\"ann\",\"approval_id\":\"%s\"}"
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
    void what_nobody_decided_in_ten_minutes_is_denied_without_a_word() {
        String agent = registry.create("Agent");
        String early = ask(agent, "{\"action\":\"early\"}").text("approval_id");
        CLOCK.advance(Duration.ofMinutes(10));
        assertThat(registry.get("/approvals/pending", ADMIN).json()).hasSize(1);
        CLOCK.advance(Duration.ofSeconds(1));
        ask(agent, "{\"action\":\"late\"}");
        var told = registry.eventTypes(agent);

        var pending = registry.get("/approvals/pending", ADMIN).json();

        assertThat(pending.findValuesAsText("action")).containsExactly("late");
        var rows = registry.get("/workspaces/" + agent + "/approvals", ADMIN).json();
        assertThat(rows.findValuesAsText("action")).containsExactly("late", "early");
        assertThat(rows.get(1).path("status").asText()).isEqualTo("denied");
        assertThat(rows.get(1).path("decided_by").asText()).isEqualTo("auto-expired");
        assertThat(decide(agent, early, "{\"decision\":\"approved\"}")).hasToString(GONE);
        assertThat(registry.eventTypes(agent)).isEqualTo(told);
    }

    @Test
    void only_the_newest_fifty_are_shown_and_none_of_removed_workspaces() {
        String agent = registry.create("Agent");
        for (int i = 0; i < 51; i++) {
            ask(agent, "{\"action\":\"nth\"}");
        }

        assertThat(registry.get("/workspaces/" + agent + "/approvals", ADMIN).json())
                .hasSize(50);
        assertThat(registry.get("/approvals/pending", ADMIN).json()).hasSize(50);
        registry.delete("/workspaces/" + agent, ADMIN);
        assertThat(registry.get("/approvals/pending", ADMIN)).hasToString("200 []");
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
                "{\"action\":\"a\",\"context\":{\"n\":1e999999}}"
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

    private static Answer ask(String workspace, String body) {
        return registry.post("/workspaces/" + workspace + "/approvals", body, ADMIN);
    }

    private static Answer decide(String workspace, String id, String body) {
        return registry.post("/workspaces/%s/approvals/%s/decide".formatted(workspace, id), body, ADMIN);
    }
}
