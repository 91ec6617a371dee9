package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.registry.RunningRegistry.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules of the organization that say who decides which approvals, and how many: {@code /approvals/rules}. */
class DecidingByRulesTest {

    private static final String APPROVED = "{\"decision\":\"approved\"}";
    private static final String DENIED = "{\"decision\":\"denied\"}";

    /** Of {@code {"action":"deploy","context":null,"numbers":{},"reason":""}}. */
    private static final String PLAIN = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    private static String kim = "";
    private static String lee = "";
    private static String olga = "";

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
        try (var persons = Persons.of(registry)) {
            olga = persons.come("olga", "\"role\":\"owner\"");
            kim = persons.come("kim", "\"role\":\"operator\"");
            lee = persons.come("lee", "\"role\":\"operator\"");
        }
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @BeforeEach
    void forgetTheOthers() {
        registry.sql("DELETE FROM approvals");
        registry.sql("DELETE FROM approval_rules");
    }

    @Test
    void without_a_rule_for_it_whoever_may_act_decides_as_before() {
        String agent = registry.create("Agent");
        rule("payments", "tool == 'pay'", "\"deciders\":{\"people\":[\"kim\"]}");

        for (String who : List.of(lee, olga, ADMIN)) {
            String id = ask(agent, "{\"action\":\"deploy\"}");
            assertThat(shown(agent, id).has("deciders")).isFalse();
            assertThat(decide(agent, id, APPROVED, who))
                    .hasToString("200 {\"approval_id\":\"%s\",\"status\":\"approved\"}".formatted(id));
        }
        assertThat(registry.events(agent)).noneMatch(event -> event.contains("deciders"));
    }

    @Test
    void people_who_are_named_decide_and_nobody_else_whatever_their_role() {
        String agent = registry.create("Agent");
        rule("deploys", "action == 'deploy'", "\"deciders\":{\"people\":[\"Kim\"]}");
        String id = ask(agent, "{\"action\":\"deploy\"}");

        for (String who : List.of(lee, olga)) {
            for (String decision : List.of(APPROVED, DENIED)) {
                assertThat(decide(agent, id, decision, who))
                        .hasToString(
                                "403 {\"error\":\"only kim may decide this (approval rule deploys)\",\"code\":\"not_a_decider\"}");
            }
        }
        assertThat(decide(agent, id, APPROVED, ADMIN).text("error"))
                .isEqualTo(
                        "only kim may decide this (approval rule deploys), and this credential names nobody: sign in as a person");
        assertThat(pending().at("/0/deciders").toString())
                .isEqualTo(
                        "{\"rule\":\"deploys\",\"people\":[\"kim\"],\"role\":null,\"approvals\":1,\"escalation\":null,\"escalates_at\":null,\"escalated_at\":null,\"approved_by\":[],\"askers\":[],\"waits\":\"waits for kim\"}");

        assertThat(decide(agent, id, APPROVED, kim).status()).isEqualTo(200);
        assertThat(shown(agent, id).path("decided_by").asText()).isEqualTo("kim");
    }

    @Test
    void a_role_is_looked_up_when_it_is_decided() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"role\":\"owner\"}");
        String id = ask(agent, "{\"action\":\"deploy\"}");

        assertThat(decide(agent, id, APPROVED, lee).text("error"))
                .isEqualTo("only an owner may decide this (approval rule deploys)");
        var person = registry.get("/people", ADMIN).json();
        String leeId = "";
        for (var one : person.isArray() ? person : person.path("people")) {
            leeId = one.path("login").asText().equals("lee") ? one.path("id").asText() : leeId;
        }
        registry.patch("/people/" + leeId, "{\"role\":\"owner\"}", ADMIN);
        await().until(() -> decide(agent, id, APPROVED, lee).status() == 200);
        registry.patch("/people/" + leeId, "{\"role\":\"operator\"}", ADMIN);

        assertThat(shown(agent, id).path("decided_by").asText()).isEqualTo("lee");
    }

    @Test
    void two_people_have_to_approve_and_the_same_counts_once() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\"],\"role\":\"owner\"},\"approvals\":2");
        String id = ask(agent, "{\"action\":\"deploy\"}");

        assertThat(decide(
                        agent,
                        id,
                        "{\"decision\":\"approved\",\"digest\":\"%s\",\"shown\":\"page\",\"grace_seconds\":5}"
                                .formatted(PLAIN),
                        kim))
                .hasToString(
                        "200 {\"approval_id\":\"%s\",\"status\":\"pending\",\"waits\":\"1 of 2 approved, waits for an owner\"}"
                                .formatted(id));
        assertThat(decide(agent, id, APPROVED, kim))
                .hasToString(
                        "409 {\"error\":\"you approved this already: 1 of 2 approved, waits for an owner\",\"code\":\"approved_already\"}");
        assertThat(shown(agent, id).path("status").asText()).isEqualTo("pending");
        assertThat(pending().at("/0/deciders/approved_by").toString()).isEqualTo("[\"kim\"]");
        assertThat(registry.events(agent).getLast())
                .startsWith("APPROVAL_UPDATED ")
                .contains("1 of 2 approved, waits for an owner", PLAIN);

        assertThat(decide(agent, id, APPROVED, olga).text("status")).isEqualTo("approved");

        assertThat(registry.eventTypes(agent)).endsWith("APPROVAL_APPROVED", "APPROVAL_DECIDED");
        assertThat(votes(id))
                .containsExactly("kim approved person:kim page " + PLAIN, "olga approved person:olga api " + PLAIN);
        assertThat(verbs(id)).containsExactly("approval.created", "approval.voted", "approval.approved");
    }

    @Test
    void one_denial_denies_also_by_who_approved_before() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]},\"approvals\":2");
        String first = ask(agent, "{\"action\":\"deploy\"}");
        String second = ask(agent, "{\"action\":\"deploy\"}");

        decide(agent, first, APPROVED, kim);
        assertThat(decide(agent, first, DENIED, lee).text("status")).isEqualTo("denied");
        decide(agent, second, APPROVED, kim);
        assertThat(decide(agent, second, DENIED, kim).text("status")).isEqualTo("denied");

        assertThat(votes(second)).containsExactly("kim denied person:kim api " + PLAIN);
        assertThat(decide(agent, second, APPROVED, lee).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({"person:kim", "person:kim (telegram)"})
    void who_asked_the_agent_does_not_decide_what_it_asks_for_them(String principal) {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]}");
        String id = askAs(agent, registry.mint(agent), "X-Molecule-Passport", asked(agent, principal));

        assertThat(pending().at("/0/deciders/waits").asText()).isEqualTo("waits for lee");
        assertThat(decide(agent, id, APPROVED, kim).text("error"))
                .isEqualTo("you asked for this, so you do not decide it: lee may (approval rule deploys)");
        assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(200);
    }

    @Test
    void who_asks_over_the_api_does_not_decide_it() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"role\":\"operator\"}");
        String id = registry.post("/workspaces/" + agent + "/approvals", "{\"action\":\"deploy\"}", kim)
                .text("approval_id");

        assertThat(decide(agent, id, APPROVED, kim).status()).isEqualTo(403);
        assertThatThrownBy(() -> registry.bus
                        .call(DecideApproval.CONTRACT, pressed(agent, UUID.fromString(id), kim))
                        .await())
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.details()).containsEntry("code", "not_a_decider"));
        assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(200);
    }

    @Test
    void whoever_asked_an_agent_lately_does_not_decide_what_it_asks_without_a_passport() {
        String lead = registry.create("Lead");
        String member = registry.child("Member", lead);
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]}");
        asked(lead, "person:kim (telegram)");

        for (String agent : List.of(lead, member)) {
            String id = askAs(agent, registry.mint(agent));

            assertThat(pending().at("/0/deciders/askers").toString()).isEqualTo("[\"kim\"]");
            assertThat(decide(agent, id, APPROVED, kim).text("error"))
                    .isEqualTo(
                            "the agent does not say who asked for this, and you may have, so you do not decide it: lee may (approval rule deploys)");
            assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(200);
        }

        CLOCK.advance(Duration.ofHours(5));
        String later = askAs(lead, registry.mint(lead));
        assertThat(shown(lead, later).at("/deciders/askers").isEmpty()).isTrue();
    }

    @Test
    void whoever_minted_a_token_of_an_agent_does_not_decide_what_is_asked_without_a_passport() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]}");
        String minted =
                registry.post("/workspaces/" + agent + "/tokens", "", kim).text("auth_token");
        String mintedByIt =
                registry.post("/workspaces/" + agent + "/tokens", "", minted).text("auth_token");

        for (String token : List.of(minted, mintedByIt)) {
            String id = askAs(agent, token);

            assertThat(decide(agent, id, APPROVED, kim).status()).isEqualTo(403);
            assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(200);
        }
    }

    @Test
    void whoever_made_an_organizations_token_does_not_decide_what_is_asked_with_it_or_on_its_behalf() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"olga\",\"lee\"]}");
        String token = registry.post("/org/tokens", "{\"name\":\"ci\"}", olga).text("auth_token");
        String prefix = registry.get("/org/tokens", olga).json().findValuesAsText("prefix").stream()
                .filter(token::startsWith)
                .findFirst()
                .orElseThrow();
        String passport = asked(agent, "org-token:" + prefix);

        assertThat(decide(agent, askAs(agent, token), APPROVED, olga).status()).isEqualTo(403);
        assertThat(decide(agent, askAs(agent, registry.mint(agent)), APPROVED, olga)
                        .status())
                .isEqualTo(403);
        String shown = askAs(agent, registry.mint(agent), "X-Molecule-Passport", passport);
        assertThat(decide(agent, shown, APPROVED, olga).status()).isEqualTo(403);
        assertThat(decide(agent, shown, APPROVED, lee).status()).isEqualTo(200);
    }

    @Test
    void after_its_time_others_decide_too() {
        String agent = registry.create("Agent");
        rule(
                "deploys",
                "true",
                "\"deciders\":{\"people\":[\"kim\"]},\"escalation\":{\"after_minutes\":30,\"people\":[\"lee\"],\"role\":\"owner\"}");
        String id = ask(agent, "{\"action\":\"deploy\"}");
        String decided = ask(agent, "{\"action\":\"deploy\"}");
        decide(agent, decided, APPROVED, kim);

        CLOCK.advance(Duration.ofMinutes(29));
        assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(403);
        CLOCK.advance(Duration.ofMinutes(2));
        await().until(() -> registry.eventTypes(agent).contains("APPROVAL_UPDATED"));

        assertThat(pending().at("/0/deciders/waits").asText()).isEqualTo("waits for kim, lee or an owner");
        assertThat(pending().at("/0/deciders/escalated_at").isTextual()).isTrue();
        assertThat(verbs(id)).endsWith("approval.escalated");
        assertThat(verbs(decided)).doesNotContain("approval.escalated");
        assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tool == 'pay'                                | true
                    tool == 'refund'                             | false
                    tool == 'pay' && arguments.amount > 1000     | true
                    tool == 'pay' && arguments.amount > 1000.75  | false
                    arguments.amount == 1000.5                   | true
                    arguments.count >= 3 && arguments.count < 4  | true
                    arguments.to.matches('^ACME')                | true
                    arguments.to.bank == 'X'                     | true
                    'iban' in arguments                          | false
                    'b' in arguments.tags                        | true
                    'gone' in arguments                          | false
                    arguments.iban == 'DE'                       | true
                    arguments.to > 5                             | true
                    context.tool == 'pay'                        | true
                    caller.name == 'Payer' && caller.tier == 2   | true
                    caller.role == 'planner'                     | false
                    action.startsWith('pay') && reason == ''     | true
                    """)
    void a_rule_sees_the_tool_its_arguments_and_the_agent_and_what_cannot_be_told_counts_as_yes(
            String when, boolean applies) {
        String agent = registry.create("Payer", "\"tier\":2");
        rule("one", when, "\"deciders\":{\"people\":[\"kim\"]}");

        String id = ask(
                agent,
                "{\"action\":\"pay ACME\",\"context\":{\"tool\":\"pay\",\"arguments\":{\"to\":\"ACME Ltd\",\"amount\":1000.50,\"count\":3,\"tags\":[\"a\",\"b\",null],\"gone\":null}}}");

        assertThat(shown(agent, id).has("deciders")).isEqualTo(applies);
    }

    @Test
    void a_team_has_rules_of_its_own_and_the_highest_priority_counts() {
        String lead = registry.create("Lead");
        String member = registry.child("Member", lead);
        String other = registry.create("Other");
        rule("team", "true", "\"deciders\":{\"people\":[\"kim\"]},\"priority\":5,\"team\":\"%s\"".formatted(lead));
        rule("b-all", "true", "\"deciders\":{\"people\":[\"lee\"]}");
        rule("c-all", "true", "\"deciders\":{\"people\":[\"olga\"]}");

        assertThat(ruleOf(member)).isEqualTo("team");
        assertThat(ruleOf(lead)).isEqualTo("team");
        assertThat(ruleOf(other)).isEqualTo("b-all");
        rule("c-all", "true", "\"deciders\":{\"people\":[\"olga\"]},\"priority\":9");
        assertThat(ruleOf(member)).isEqualTo("c-all");
        assertThat(registry.get("/approvals/rules", olga).json().path("rules").findValuesAsText("name"))
                .containsExactly("c-all", "team", "b-all");
    }

    @Test
    void what_was_asked_under_a_rule_is_decided_by_it_as_it_was() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\"]}");
        String id = ask(agent, "{\"action\":\"deploy\"}");

        rule("deploys", "true", "\"deciders\":{\"people\":[\"lee\"]}");
        assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(403);
        assertThat(registry.delete("/approvals/rules/deploys", olga)).hasToString("200 {\"status\":\"deleted\"}");
        assertThat(decide(agent, id, APPROVED, lee).status()).isEqualTo(403);

        assertThat(decide(agent, id, APPROVED, kim).status()).isEqualTo(200);
        assertThat(registry.delete("/approvals/rules/deploys", olga))
                .hasToString("404 {\"error\":\"approval rule not found\"}");
        var told = new ArrayList<String>();
        registry.sql(
                        "SELECT verb, actor_name FROM log.audit WHERE object = 'deploys' AND verb LIKE 'approval_rule.%' ORDER BY id")
                .forEach(row -> told.add(row.getString(0) + " by " + row.getString(1)));
        assertThat(told)
                .endsWith(
                        "approval_rule.created by olga",
                        "approval_rule.changed by olga",
                        "approval_rule.deleted by olga");
    }

    @Test
    void a_vote_is_taken_back_by_whose_it_is_and_nobody_else() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]},\"approvals\":2");
        String id = ask(agent, "{\"action\":\"deploy\"}");
        String path = "/workspaces/%s/approvals/%s/decide".formatted(agent, id);

        assertThat(registry.delete(path, kim).status()).isEqualTo(404);
        decide(agent, id, APPROVED, kim);
        for (String who : List.of(lee, olga, ADMIN)) {
            assertThat(registry.delete(path, who))
                    .hasToString("403 {\"error\":\"only who decided this may take it back\"}");
        }
        assertThat(registry.delete(path, kim).status()).isEqualTo(200);
        assertThat(pending().at("/0/deciders/waits").asText()).isEqualTo("0 of 2 approved, waits for kim or lee");
        assertThat(verbs(id)).endsWith("approval.voted", "approval.retracted");

        decide(agent, id, APPROVED, kim);
        decide(agent, id, "{\"decision\":\"approved\",\"grace_seconds\":60}", lee);
        assertThat(registry.delete(path, olga).status()).isEqualTo(403);
        assertThat(registry.delete(path, lee).status()).isEqualTo(200);
        assertThat(votes(id)).containsExactly("kim approved person:kim api " + PLAIN);
    }

    @Test
    void a_decision_on_something_else_counts_for_nothing() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]},\"approvals\":2");
        String id = ask(agent, "{\"action\":\"deploy\"}");

        assertThat(decide(agent, id, "{\"decision\":\"approved\",\"digest\":\"%s\"}".formatted("0".repeat(64)), kim)
                        .status())
                .isEqualTo(409);
        assertThat(votes(id)).isEmpty();
    }

    @Test
    void at_a_messenger_the_same_rules_hold() {
        String agent = registry.create("Agent");
        rule("deploys", "true", "\"deciders\":{\"people\":[\"kim\",\"lee\"]},\"approvals\":2");
        var id = UUID.fromString(ask(agent, "{\"action\":\"deploy\"}"));

        var decided = registry.bus
                .call(DecideApproval.CONTRACT, pressed(agent, id, kim))
                .await();

        assertThat(decided.status()).isEqualTo("approved");
        assertThat(decided.waits()).isEqualTo("1 of 2 approved, waits for lee");
        assertThat(votes(id.toString()).getFirst()).matches("kim approved telegram:\\S+ telegram " + PLAIN);
        assertThatThrownBy(() -> registry.bus
                        .call(DecideApproval.CONTRACT, pressed(agent, id, olga))
                        .await())
                .isInstanceOfSatisfying(ApiError.class, error -> {
                    assertThat(error.publicMessage())
                            .isEqualTo("only kim or lee may decide this (approval rule deploys)");
                    assertThat(error.details()).containsEntry("code", "not_a_decider");
                });
    }

    @Test
    void owners_set_rules_and_nobody_else() {
        String body = "{\"when\":\"true\",\"deciders\":{\"role\":\"operator\"}}";

        for (String who : List.of(kim, registry.mint(registry.create("Agent")), "nonsense")) {
            assertThat(registry.put("/approvals/rules/mine", body, who).status())
                    .isIn(401, 403);
            assertThat(registry.delete("/approvals/rules/mine", who).status()).isIn(401, 403);
        }
        assertThat(registry.get("/approvals/rules", kim)).hasToString("200 {\"rules\":[]}");
        assertThat(registry.put("/approvals/rules/mine", body, olga).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ok | {} | when is required
                    ok | {"when":"true"} | deciders is required: name people, a role or both
                    ok | {"when":"true","deciders":{}} | deciders must name people, a role or both
                    ok | {"when":"true","deciders":[]} | invalid request body
                    ok | {"when":"true","deciders":{"people":"kim"}} | deciders.people must be a list of at most 20 logins
                    ok | {"when":"true","deciders":{"people":["nobody"]}} | nobody signs in as "nobody"; invite them first
                    ok | {"when":"true","deciders":{"people":["="]}} | login must be a name or an e-mail address
                    ok | {"when":"true","deciders":{"role":"viewer"}} | deciders.role must be operator or owner
                    ok | {"when":"true","deciders":{"role":7}} | deciders.role must be operator or owner
                    ok | {"when":"true","deciders":{"people":["kim"]},"approvals":3} | approvals must be 1 or 2
                    ok | {"when":"true","deciders":{"people":["kim","KIM"]},"approvals":2} | two approvals need two people
                    ok | {"when":"true","deciders":{"people":["kim"]},"escalation":{"after_minutes":0,"role":"owner"}} | escalation.after_minutes must be between 1 and 43200
                    ok | {"when":"true","deciders":{"people":["kim"]},"escalation":{"after_minutes":5}} | escalation must name people, a role or both
                    ok | {"when":"true","deciders":{"people":["kim"]},"team":"Lead"} | team must be the id of a workspace
                    ok | {"when":"true","deciders":{"people":["kim"]},"priority":-1} | priority must be between 0 and 1000
                    ok | {"when":"tol == 'x'","deciders":{"people":["kim"]}} | when does not compile: undeclared reference to 'tol'
                    ok | {"when":"tool.matches('(a{100}){100}')","deciders":{"people":["kim"]}} | when does not compile: repetitions within each other
                    ok | {"when":"tool","deciders":{"people":["kim"]}} | when does not compile: expected type 'bool'
                    Ok | {"when":"true","deciders":{"people":["kim"]}} | a rule's name is of small letters
                    """)
    void what_is_no_rule_is_refused_and_changes_nothing(String name, String body, String says) {
        var answer = registry.put("/approvals/rules/" + name, body, olga);

        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.text("error")).startsWith(says);
        assertThat(registry.get("/approvals/rules", olga)).hasToString("200 {\"rules\":[]}");
    }

    @Test
    void there_are_few_rules_and_none_of_an_unknown_team() {
        for (int nth = 0; nth < 50; nth++) {
            rule("r" + nth, "false", "\"deciders\":{\"people\":[\"kim\"]}");
        }

        String body = "{\"when\":\"false\",\"deciders\":{\"people\":[\"kim\"]}%s}";
        assertThat(registry.put("/approvals/rules/more", body.formatted(""), olga))
                .hasToString("409 {\"error\":\"maximum 50 approval rules\"}");
        assertThat(registry.put("/approvals/rules/r7", body.formatted(""), olga).status())
                .isEqualTo(200);
        assertThat(registry.put(
                                "/approvals/rules/r7",
                                body.formatted(",\"team\":\"%s\"".formatted(UUID.randomUUID())),
                                olga)
                        .status())
                .isEqualTo(404);
    }

    private static DecideApproval pressed(String agent, UUID id, String session) {
        String code = registry.post("/people/me/chats", "{\"role\":\"operator\"}", session)
                .text("code");
        var linked = registry.bus
                .call(
                        LinkChat.CONTRACT,
                        new LinkChat(code, "telegram", UUID.randomUUID().toString()))
                .await();
        return new DecideApproval(
                UUID.fromString(agent), id, true, "telegram", String.valueOf(linked.tokenHash()), null);
    }

    private static void rule(String name, String when, String members) {
        var answer = registry.put("/approvals/rules/" + name, "{\"when\":\"%s\",%s}".formatted(when, members), olga);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    }

    private static String ask(String agent, String body) {
        var asked = registry.post("/workspaces/" + agent + "/approvals", body, ADMIN);
        assertThat(asked.status()).as(asked.toString()).isEqualTo(201);
        return asked.text("approval_id");
    }

    private static String askAs(String agent, String token, String... headers) {
        var asked = registry.send(
                HttpMethod.POST, "/workspaces/" + agent + "/approvals", "{\"action\":\"deploy\"}", token, headers);
        assertThat(asked.status()).as(asked.toString()).isEqualTo(201);
        return asked.text("approval_id");
    }

    /** Has that one ask the agent, which gets a passport. */
    private static String asked(String agent, String principal) {
        return registry.bus
                .call(
                        IssuePassport.CONTRACT,
                        IssuePassport.first(UUID.fromString(agent), principal, null, null, null, null))
                .await()
                .token();
    }

    private static Answer decide(String agent, String id, String body, String who) {
        return registry.post("/workspaces/%s/approvals/%s/decide".formatted(agent, id), body, who);
    }

    private static JsonNode shown(String agent, String id) {
        return registry.get("/workspaces/%s/approvals/%s".formatted(agent, id), ADMIN)
                .json();
    }

    private static JsonNode pending() {
        return registry.get("/approvals/pending", ADMIN).json();
    }

    private static String ruleOf(String agent) {
        return shown(agent, ask(agent, "{\"action\":\"deploy\"}"))
                .at("/deciders/rule")
                .asText();
    }

    private static List<String> votes(String id) {
        List<String> votes = new ArrayList<>();
        registry.sql(
                        "SELECT vote ->> 'by' AS by, vote ->> 'decision' AS decision, vote ->> 'with' AS with, vote ->> 'shown' AS shown,"
                                + " vote ->> 'digest' AS digest FROM approvals, jsonb_array_elements(votes) AS vote WHERE id = $1",
                        UUID.fromString(id))
                .forEach(row -> votes.add(String.join(
                        " ",
                        row.getString("by"),
                        row.getString("decision"),
                        row.getString("with"),
                        row.getString("shown"),
                        row.getString("digest"))));
        return votes;
    }

    private static List<String> verbs(String id) {
        List<String> verbs = new ArrayList<>();
        registry.sql("SELECT verb FROM log.audit WHERE object = $1 ORDER BY id", id)
                .forEach(row -> verbs.add(row.getString(0)));
        return verbs;
    }
}
