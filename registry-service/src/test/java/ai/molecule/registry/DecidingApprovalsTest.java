package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.registry.RunningRegistry.Answer;
import com.fasterxml.jackson.databind.JsonNode;
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

/** Who decides what an agent asked, when that counts, and what becomes of what nobody decides: {@code …/approvals/:id/decide}. */
class DecidingApprovalsTest {

    private static final String GONE = "404 {\"error\":\"approval not found or already decided\"}";
    private static final String CHANGED =
            "409 {\"error\":\"this approval is not what was shown: it was changed meanwhile. Nothing was decided; read it again\"}";

    /** Of {@code {"action":"deploy","context":null,"numbers":{},"reason":""}}. */
    private static final String PLAIN = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";

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
    void an_approval_has_the_digest_of_all_that_is_asked() {
        String agent = registry.create("Agent");
        String body = """
                {"action":"run ./check","reason":"because","context":{"tool":"run","arguments":{"command":"./check \\"a\\"\\n",
                "whole":1e3,"part":1.50,"big":12345678901234567890,"list":[true,null,"\u20AC\\u0001\uD83D\uDE00"],"z/~":1e300,"-0":-0.0}}}
                """;

        var asked = ask(agent, body);
        assertThat(asked.status()).as(asked.toString()).isEqualTo(201);
        String id = asked.text("approval_id");
        String plain = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");

        var one = registry.get("/workspaces/%s/approvals/%s".formatted(agent, id), ADMIN)
                .json();
        assertThat(one.path("digest").asText())
                .isEqualTo("309faa5605541f16426204ea595d4999b534b0b2f0dd6d23ca5de4f4eca7c2ef");
        assertThat(one.at("/context/arguments/part").toString()).isEqualTo("1.50");
        assertThat(one.path("decided_digest").isNull()).isTrue();
        assertThat(registry.get("/approvals/pending", ADMIN).json().findValuesAsText("digest"))
                .contains("309faa5605541f16426204ea595d4999b534b0b2f0dd6d23ca5de4f4eca7c2ef", PLAIN);
        assertThat(registry.events(agent).getLast()).contains("\"digest\":\"" + PLAIN + "\"", plain);
    }

    @ParameterizedTest
    @ValueSource(strings = {"approved", "denied"})
    void a_decision_on_something_else_than_the_approval_is_refused_and_leaves_it_open(String decision) {
        String agent = registry.create("Agent");
        String other = ask(agent, "{\"action\":\"delete\"}").text("approval_id");
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");
        String shown = "{\"decision\":\"%s\",\"digest\":\"%s\"}".formatted(decision, PLAIN);

        assertThat(decide(agent, other, shown)).hasToString(CHANGED);
        registry.sql("UPDATE approvals SET context = '{\"env\":\"prod\"}' WHERE id = '%s'".formatted(id));
        assertThat(decide(agent, id, shown)).hasToString(CHANGED);
        assertThat(registry.get("/approvals/pending", ADMIN).json()).hasSize(2);
        assertThat(registry.eventTypes(agent)).doesNotContain("APPROVAL_DECIDED");

        registry.sql("UPDATE approvals SET context = NULL WHERE id = '%s'".formatted(id));
        assertThat(decide(agent, id, shown).status()).isEqualTo(200);
    }

    @Test
    void what_was_changed_since_it_was_asked_is_not_approved_by_anybody_and_can_be_denied() {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\",\"context\":{\"env\":\"test\"}}")
                .text("approval_id");
        registry.sql("UPDATE approvals SET context = '{\"env\":\"prod\"}' WHERE id = '%s'".formatted(id));

        assertThat(decide(agent, id, "{\"decision\":\"approved\"}")).hasToString(CHANGED);
        assertThat(decide(agent, id, "{\"decision\":\"denied\"}").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_row_and_the_record_name_the_digest_that_was_decided_on(boolean named) {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");

        decide(agent, id, "{\"decision\":\"approved\"%s}".formatted(named ? ",\"digest\":\"" + PLAIN + "\"" : ""));

        assertThat(first(agent).path("decided_digest").asText()).isEqualTo(PLAIN);
        assertThat(registry.sql("SELECT entry FROM log.audit WHERE object = '%s' AND verb = 'approval.approved'"
                                .formatted(id))
                        .iterator()
                        .next()
                        .getString("entry"))
                .contains("decided_digest", PLAIN);
    }

    @Test
    void a_decision_that_is_taken_back_leaves_no_digest() {
        String agent = registry.create("Agent");
        String id = ask(agent, "{\"action\":\"deploy\"}").text("approval_id");

        decide(agent, id, "{\"decision\":\"approved\",\"grace_seconds\":60,\"digest\":\"%s\"}".formatted(PLAIN));
        registry.delete("/workspaces/%s/approvals/%s/decide".formatted(agent, id), ADMIN);

        assertThat(registry.sql("SELECT 1 FROM approvals WHERE decided_digest IS NOT NULL")
                        .size())
                .isZero();
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
                "{\"decision\":\"approved\",\"digest\":7}|invalid request body",
                "{\"decision\":\"approved\",\"digest\":\"\"}|digest must be 64 lower-case hexadecimal digits, as the approval has it",
                "{\"decision\":\"approved\",\"digest\":\"ABC\"}|digest must be 64 lower-case hexadecimal digits, as the approval has it",
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
