package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.events.CallsSince;
import ai.molecule.common.bus.hints.PolicyChanged;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.json.Json;
import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpMethod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that operators add to the org chart's: which there are, and what they say of a call. */
class KeepingAPolicyTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    private static final List<CallsSince.Alike> CALLS = new ArrayList<>();

    /** In place of the calls, where it is set. */
    private static final AtomicReference<@Nullable Supplier<Future<CallsSince.Calls>>> HELD = new AtomicReference<>();

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction();
        registry.bus
                .serve(
                        CallsSince.CONTRACT,
                        question -> HELD.get() != null
                                ? HELD.get().get()
                                : Future.succeededFuture(new CallsSince.Calls(List.copyOf(CALLS), false)))
                .await();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    /** As when somebody else had changed them: whoever remembers rules is told. */
    @AfterEach
    void forget() {
        CALLS.clear();
        for (var rule : registry.get("/policy", ADMIN).json().path("rules")) {
            String of = rule.path("branch").isNull()
                    ? ""
                    : "/workspaces/" + rule.path("branch").asText();
            registry.delete(of + "/policy/" + rule.path("name").asText(), ADMIN);
        }
    }

    @Test
    void without_a_rule_no_call_is_asked_about() {
        String writer = registry.create("Writer");
        assertThat(governed(writer)).isFalse();

        put("/policy/no-messages", "false", "enforce");
        assertThat(governed(writer)).isTrue();

        assertThat(registry.delete("/policy/no-messages", ADMIN)).hasToString("200 {\"status\":\"deleted\"}");
        assertThat(governed(writer)).isFalse();
        assertThat(registry.delete("/policy/no-messages", ADMIN).status()).isEqualTo(404);
    }

    @Test
    void a_rule_sees_who_calls_whom_and_how() {
        String lead = registry.create("Lead", "\"tier\":3", "\"role\":\"planner\"");
        String writer = registry.create("Writer", "\"parent_id\":\"%s\"".formatted(lead), "\"tier\":1");
        put(
                "/policy/low",
                "caller.kind == 'workspace' && caller.tier < 2 && target.tier > 2 && target.role == 'planner'"
                        + " && target.name.startsWith('L') && method == 'message/send' && caller.spend < 0.5",
                "enforce",
                "ask a person");

        assertThat(judged(writer, lead, "message/send"))
                .containsExactly("the policy rule low of the organisation refuses this: ask a person");
        assertThat(judged(writer, lead, "tasks/get")).isEmpty();
        assertThat(judged(lead, writer, "message/send")).isEmpty();
        assertThat(judged(null, lead, "message/send")).isEmpty();
    }

    @Test
    void a_branchs_rule_holds_from_and_to_what_is_in_it_and_nowhere_else() {
        String lead = registry.create("Lead");
        String team = registry.create("Team", "\"parent_id\":\"%s\"".formatted(lead));
        String deep = registry.create("Deep", "\"parent_id\":\"%s\"".formatted(team));
        String other = registry.create("Other", "\"parent_id\":\"%s\"".formatted(lead));
        put("/workspaces/" + team + "/policy/none", "true", "enforce");

        String says = "the policy rule none of Team refuses this";
        assertThat(judged(deep, team, "message/send")).containsExactly(says);
        assertThat(judged(other, team, "message/send")).containsExactly(says);
        assertThat(judged(null, deep, "message/send")).containsExactly(says);
        assertThat(judged(other, lead, "message/send")).isEmpty();
        assertThat(names("/workspaces/" + deep + "/policy")).containsExactly("none");
        assertThat(names("/workspaces/" + other + "/policy")).isEmpty();
        assertThat(registry.delete("/policy/none", ADMIN).status()).isEqualTo(404);
    }

    @Test
    void what_refuses_comes_before_what_is_only_observed() {
        String one = registry.create("One");
        String two = registry.create("Two");
        put("/policy/a-watch", "true", "observe");
        put("/policy/b-stop", "true", "enforce");

        assertThat(judged(one, two, "message/send"))
                .containsExactly(
                        "the policy rule b-stop of the organisation refuses this",
                        "the policy rule a-watch of the organisation would refuse this");

        put("/policy/b-stop", "true", "observe");
        assertThat(judged(one, two, "message/send"))
                .containsExactly(
                        "the policy rule a-watch of the organisation would refuse this",
                        "the policy rule b-stop of the organisation would refuse this");
    }

    @Test
    void a_tool_is_a_call_without_a_target() {
        String one = registry.create("One");
        put("/policy/no-delegation", "tool == 'delegate_task' && target.id == ''", "enforce");

        assertThat(judge(new JudgeCall(UUID.fromString(one), null, JudgeCall.TOOL_CALL, "delegate_task")))
                .containsExactly("the policy rule no-delegation of the organisation refuses this");
        assertThat(judge(new JudgeCall(UUID.fromString(one), null, JudgeCall.TOOL_CALL, "recall_memory")))
                .isEmpty();
        assertThat(explained("caller=%s&target=%s&tool=delegate_task".formatted(one, one)))
                .contains("\"tool\":\"the policy rule no-delegation of the organisation refuses this\"");
    }

    @Test
    void what_cannot_be_told_is_refused() {
        String one = registry.create("One");
        String two = registry.create("Two");
        put("/policy/broken", "1 / (caller.tier - caller.tier) == 1", "enforce");

        assertThat(judged(one, two, "message/send"))
                .singleElement()
                .asString()
                .startsWith("the policy rule broken of the organisation refuses this: it could not be told: ");
    }

    @Test
    void a_rule_that_another_release_kept_and_this_one_does_not_understand_refuses_too() {
        String one = registry.create("One");
        String two = registry.create("Two");
        put("/policy/old", "false", "enforce");
        registry.sql("UPDATE registry.policy_rules SET refuse_when = 'gone_by(now)' WHERE name = $1", "old");
        registry.bus.publish(PolicyChanged.HINT, new PolicyChanged());

        org.awaitility.Awaitility.await()
                .untilAsserted(
                        () -> assertThat(judged(one, two, "message/send"))
                                .singleElement()
                                .asString()
                                .startsWith(
                                        "the policy rule old of the organisation refuses this: refuse_when does not compile: "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ok | {"refuse_when":"caller.nmae == 'x'"} | refuse_when does not compile: undeclared reference to 'caller'
                    ok | {"refuse_when":"caller.name"} | refuse_when does not compile: expected type 'bool' but found 'string'
                    ok | {"refuse_when":"caller.tier == 'x'"} | refuse_when does not compile: found no matching overload for '_==_'
                    ok | {"refuse_when":"tool.matches('(a')"} | refuse_when does not compile: Regex validation failed
                    ok | {"refuse_when":"method.matches('(((a{1000}){1000}){20})')"} | refuse_when does not compile: repetitions within each other may come to at most 1,000
                    ok | {"refuse_when":"matches(method, '(a{1000}){1000}')"} | refuse_when does not compile: repetitions within each other may come to at most 1,000
                    ok | {"refuse_when":"tool.matches(caller.name)"} | refuse_when does not compile: the pattern of matches() must be a text in quotes
                    ok | {"refuse_when":"tool.matches('a' + 'b')"} | refuse_when does not compile: the pattern of matches() must be a text in quotes
                    ok | {"refuse_when":"[1, 2].exists(x, x > 1)"} | refuse_when does not compile: undeclared reference to 'exists'
                    ok | {"refuse_when":"tool ==="} | refuse_when does not compile:
                    ok | {"refuse_when":"((((((((((((((((((((((((((((((((((((((((((((((((true))))))))))))))))))))))))))))))))))))))))))))))))"} | refuse_when does not compile:
                    ok | {"refuse_when":""} | refuse_when is required
                    ok | {} | refuse_when is required
                    ok | {"refuse_when":"true","mode":"warn"} | mode must be observe or enforce
                    ok | {"refuse_when":"true","says":"two\\nlines"} | says must be one line
                    ok | {"refuse_when":true} | invalid request body
                    Upper | {"refuse_when":"true"} | a rule's name is of small letters
                    1st | {"refuse_when":"true"} | a rule's name is of small letters
                    """)
    void what_is_no_rule_is_refused_by_name(String name, String body, String says) {
        var answer = registry.send(HttpMethod.PUT, "/policy/" + name, body, ADMIN);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text("error")).startsWith(says);
        assertThat(names("/policy")).isEmpty();
    }

    @Test
    void a_rule_is_short_and_there_are_few_of_them() {
        String one = registry.create("One");
        var tooLong = put("/policy/long", "'" + "x".repeat(1_000) + "' == tool", "observe");
        assertThat(tooLong).hasToString("400 {\"error\":\"refuse_when exceeds 1000 chars\"}");
        for (int nth = 0; nth < 20; nth++) {
            assertThat(put("/workspaces/" + one + "/policy/r" + nth, "false", "observe")
                            .status())
                    .isEqualTo(200);
        }

        assertThat(put("/workspaces/" + one + "/policy/r20", "false", "observe"))
                .hasToString("409 {\"error\":\"maximum 20 policy rules of one branch\"}");
        assertThat(put("/workspaces/" + one + "/policy/r19", "true", "observe").status())
                .isEqualTo(200);
        assertThat(put("/policy/r20", "false", "observe").status()).isEqualTo(200);
        assertThat(put("/workspaces/" + UUID.randomUUID() + "/policy/r", "false", "observe")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void the_way_to_a_refusal_is_explained() {
        String lead = registry.create("Lead");
        String other = registry.create("Other");
        registry.sql("UPDATE workspaces SET status = 'online', url = 'http://a' WHERE name = ANY ($1)", (Object)
                new String[] {"Lead", "Other"});
        put("/workspaces/" + lead + "/policy/watch", "caller.name == 'Other'", "observe", "not today");
        String question = "caller=%s&target=%s".formatted(other, lead);
        assertThat(explained(question))
                .isEqualTo(
                        "{\"allowed\":true,\"rule\":\"org chart\",\"says\":\"Other may talk to Lead: both are roots\","
                                + "\"policy\":[{\"rule\":\"watch\",\"of\":\"Lead\",\"enforced\":false,\"says\":\"not today\"}]}");

        put("/workspaces/" + lead + "/policy/watch", "caller.name == 'Other'", "enforce", "not today");

        assertThat(explained(question))
                .startsWith(
                        "{\"allowed\":false,\"rule\":\"policy\",\"says\":\"the policy rule watch of Lead refuses this: not today\"");
        assertThat(explained("caller=%s&target=%s".formatted(lead, other))).startsWith("{\"allowed\":true");
    }

    @Test
    void who_changed_a_rule_is_recorded() {
        String team = registry.create("Team");
        put("/workspaces/" + team + "/policy/kept", "false", "observe");
        put("/workspaces/" + team + "/policy/kept", "true", "observe");
        put("/workspaces/" + team + "/policy/kept", "true", "observe");
        registry.delete("/workspaces/" + team + "/policy/kept", ADMIN);

        var rows = registry.sql(
                "SELECT entry::jsonb ->> 'verb' AS verb, entry::jsonb #>> '{actor,kind}' AS kind FROM log.audit"
                        + " WHERE entry::jsonb ->> 'workspace_id' = $1 AND entry::jsonb ->> 'object' = 'kept' ORDER BY id",
                team);
        List<String> told = new ArrayList<>();
        rows.forEach(row -> told.add(row.getString("verb") + " by " + row.getString("kind")));
        assertThat(told)
                .containsExactly(
                        "policy.created by administrator",
                        "policy.changed by administrator",
                        "policy.deleted by administrator");
    }

    @Test
    void the_past_is_tried() {
        String lead = registry.create("Lead");
        String writer = registry.create("Writer", "\"parent_id\":\"%s\"".formatted(lead));
        var last = Instant.parse("2026-11-20T10:00:00Z");
        CALLS.add(new CallsSince.Alike(UUID.fromString(writer), UUID.fromString(lead), "message/send", 3, last));
        CALLS.add(new CallsSince.Alike(null, UUID.fromString(lead), "message/send", 2, last));
        CALLS.add(new CallsSince.Alike(UUID.randomUUID(), UUID.fromString(lead), "message/send", 7, last));
        put("/policy/upwards", "caller.name == 'Writer'", "observe", "no");

        var trial = registry.post("/policy/test", "{\"since_secs\":86400}", ADMIN);
        assertThat(trial)
                .hasToString(
                        ("200 {\"calls\":5,\"unknown\":7,\"more\":false,\"rules\":[{\"name\":\"upwards\",\"branch\":null,\"branch_name\":null,"
                                        + "\"mode\":\"observe\",\"refuse_when\":\"caller.name == 'Writer'\",\"says\":\"no\",\"would_refuse\":3,\"latest\":[{"
                                        + "\"caller\":\"%s\",\"caller_name\":\"Writer\",\"target\":\"%s\",\"target_name\":\"Lead\",\"method\":\"message/send\","
                                        + "\"says\":\"no\",\"times\":3,\"last_at\":\"2026-11-20T10:00:00.000000Z\"}]}],\"since_secs\":86400}")
                                .formatted(writer, lead));

        var one = registry.post(
                "/workspaces/" + writer + "/policy/test",
                "{\"since_secs\":604800,\"refuse_when\":\"target.name == 'Lead'\"}",
                ADMIN);
        assertThat(one.json().at("/rules/0/would_refuse").asInt()).isEqualTo(3);
        assertThat(registry.post("/policy/test", "{\"since_secs\":604800,\"refuse_when\":\"caller\"}", ADMIN)
                        .status())
                .isEqualTo(400);
        assertThat(registry.post("/policy/test", "{\"since_secs\":0}", ADMIN).status())
                .isEqualTo(400);
    }

    @Test
    void the_past_is_tried_once_at_a_time() throws Exception {
        var held = Promise.<CallsSince.Calls>promise();
        var asked = new CountDownLatch(1);
        HELD.set(() -> {
            asked.countDown();
            return held.future();
        });
        String body = "{\"since_secs\":60,\"refuse_when\":\"true\"}";
        try (var browser = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = browser.submit(() -> registry.post("/policy/test", body, ADMIN));
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();

            assertThat(registry.post("/policy/test", body, ADMIN))
                    .hasToString(
                            "429 {\"error\":\"another policy test is running — try again in a few seconds\",\"retry_after\":5}");

            HELD.set(null);
            held.complete(new CallsSince.Calls(List.of(), false));
            assertThat(first.get(1, TimeUnit.MINUTES).status()).isEqualTo(200);
        }
        assertThat(registry.post("/policy/test", body, ADMIN).status()).isEqualTo(200);
        HELD.set(() -> Future.failedFuture("no"));
        assertThat(registry.post("/policy/test", body, ADMIN).status()).isGreaterThanOrEqualTo(500);
        HELD.set(null);
        assertThat(registry.post("/policy/test", body, ADMIN).status())
                .as("after one that failed")
                .isEqualTo(200);
    }

    private static boolean governed(String workspace) {
        return registry.bus
                .call(ResolveRoute.CONTRACT, new ResolveRoute(UUID.fromString(workspace), null))
                .await()
                .governed();
    }

    private static List<String> judged(@Nullable String caller, String target, String method) {
        return judge(
                new JudgeCall(caller == null ? null : UUID.fromString(caller), UUID.fromString(target), method, ""));
    }

    private static List<String> judge(JudgeCall call) {
        return registry.bus.call(JudgeCall.CONTRACT, call).await().verdicts().stream()
                .map(JudgeCall.Verdict::sentence)
                .toList();
    }

    private static Answer put(String path, String refuseWhen, String mode) {
        return put(path, refuseWhen, mode, "");
    }

    private static Answer put(String path, String refuseWhen, String mode, String says) {
        String body = Json.text(Json.MAPPER.valueToTree(Map.of("refuse_when", refuseWhen, "mode", mode, "says", says)));
        return registry.send(HttpMethod.PUT, path, body, ADMIN);
    }

    private static List<String> names(String path) {
        List<String> names = new ArrayList<>();
        registry.get(path, ADMIN)
                .json()
                .path("rules")
                .forEach(rule -> names.add(rule.path("name").asText()));
        return names;
    }

    private static String explained(String query) {
        return registry.get("/explain?" + query, ADMIN).body();
    }
}
