package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who decided what, by which digest, shown where, when: {@code GET /approvals/export}. */
class ExportingDecisionsTest {

    /** Of {@code {"action":"deploy","context":null,"numbers":{},"reason":""}}. */
    private static final String PLAIN = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static Persons persons;

    private static String kim = "";
    private static String lee = "";

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
        persons = Persons.of(registry);
        kim = persons.come("kim", "\"role\":\"operator\"");
        lee = persons.come("lee", "\"role\":\"operator\"");
    }

    @AfterAll
    static void stop() {
        persons.close();
        registry.close();
    }

    @BeforeEach
    void forgetTheOthers() {
        registry.sql("DELETE FROM approvals");
        registry.sql("DELETE FROM approval_rules");
    }

    @Test
    void each_decision_is_a_line_and_what_nobody_decided_yet_is_none() {
        String agent = registry.create("Agent");
        registry.put(
                "/approvals/rules/both",
                "{\"when\":\"tool == 'pay'\",\"deciders\":{\"people\":[\"kim\",\"lee\"]},\"approvals\":2}",
                ADMIN);
        String deployed = ask(agent, "{\"action\":\"deploy\"}");
        decide(agent, deployed, "{\"decision\":\"denied\",\"decided_by\":\"ann\",\"shown\":\"terminal\"}", ADMIN);
        CLOCK.advance(Duration.ofSeconds(1));
        String paid = ask(agent, "{\"action\":\"pay\",\"task_id\":\"t-1\",\"context\":{\"tool\":\"pay\"}}");
        decide(agent, paid, "{\"decision\":\"approved\",\"shown\":\"page\"}", kim);
        decide(agent, paid, "{\"decision\":\"approved\"}", lee);
        CLOCK.advance(Duration.ofSeconds(1));
        ask(agent, "{\"action\":\"waits\"}");

        var lines = lines("");

        assertThat(lines).hasSize(3);
        assertThat(lines.getFirst().toString())
                .isEqualTo(
                        "{\"approval_id\":\"%s\",\"workspace_id\":\"%s\",\"workspace_name\":\"Agent\",\"asked_at\":\"%s\",\"action\":\"deploy\",\"reason\":\"\",\"tool\":\"\",\"task_id\":\"\",\"digest\":\"%s\",\"asked_by\":null,\"on_behalf_of\":null,\"rule\":null,\"approvals_needed\":1,\"status\":\"denied\",\"decision\":\"denied\",\"decided_by\":\"ann\",\"decided_with\":\"admin-token\",\"decided_digest\":\"%s\",\"shown\":\"terminal\",\"decided_at\":\"%s\"}"
                                .formatted(
                                        deployed,
                                        agent,
                                        lines.getFirst().path("asked_at").asText(),
                                        PLAIN,
                                        PLAIN,
                                        lines.getFirst().path("decided_at").asText()));
        assertThat(lines.get(1).path("decided_by").asText()
                        + lines.get(2).path("decided_by").asText())
                .isEqualTo("kimlee");
        assertThat(lines.get(1).path("shown").asText()).isEqualTo("page");
        assertThat(lines.get(2).path("shown").asText()).isEqualTo("api");
        assertThat(lines.get(2).path("rule").asText()).isEqualTo("both");
        assertThat(lines.get(2).path("tool").asText()).isEqualTo("pay");
        assertThat(lines.get(2).path("approvals_needed").asInt()).isEqualTo(2);
    }

    @Test
    void what_ended_by_itself_and_what_was_decided_before_votes_were_kept_is_there_too() {
        String agent = registry.create("Agent");
        String older = ask(agent, "{\"action\":\"deploy\"}");
        decide(agent, older, "{\"decision\":\"approved\",\"decided_by\":\"ann\"}", ADMIN);
        registry.sql("UPDATE approvals SET votes = '[]' WHERE id = $1", UUID.fromString(older));
        CLOCK.advance(Duration.ofSeconds(1));
        ask(
                agent,
                "{\"action\":\"late\",\"expires_at\":\"%s\"}"
                        .formatted(CLOCK.instant().plusSeconds(60)));
        CLOCK.advance(Duration.ofSeconds(61));
        await().until(() -> lines("").size() == 2);

        var lines = lines("");

        assertThat(lines.getFirst().path("decided_by").asText()).isEqualTo("ann");
        assertThat(lines.getFirst().path("shown").isNull()).isTrue();
        assertThat(lines.getLast().path("decided_by").asText()).isEqualTo("auto-expired");
        assertThat(lines.getLast().path("decision").asText()).isEqualTo("denied");
        assertThat(lines.getLast().path("decided_digest").isNull()).isTrue();
    }

    @Test
    void csv_has_a_header_and_no_cell_that_a_spreadsheet_takes_for_a_formula() {
        String agent = registry.create("Agent");
        String id = ask(
                agent,
                "{\"action\":\"=HYPERLINK(\\\"http://x\\\")\",\"reason\":\"+1, \\n2\",\"task_id\":\"@t\",\"context\":{\"tool\":\"-x\"}}");
        decide(agent, id, "{\"decision\":\"denied\",\"decided_by\":\" =1+1\"}", ADMIN);

        var answer = registry.get("/approvals/export?format=csv", ADMIN);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith(
                        "approval_id,workspace_id,workspace_name,asked_at,action,reason,tool,task_id,digest,asked_by,on_behalf_of,rule,approvals_needed,status,decision,decided_by,decided_with,decided_digest,shown,decided_at\r\n"
                                + id + ",")
                .contains(
                        ",\"'=HYPERLINK(\"\"http://x\"\")\",\"'+1, \n2\",'-x,'@t,",
                        ",,,,1,denied,denied,' =1+1,admin-token,")
                .endsWith("\r\n");
    }

    @Test
    void a_long_period_goes_out_page_by_page() {
        String agent = registry.create("Agent");
        registry.sql(
                "INSERT INTO approvals (id, workspace_id, task_id, action, reason, status, decided_by, created_at, expires_at)"
                        + " SELECT gen_random_uuid(), $1, '', n::text, '', 'denied', 'ann', $2::timestamptz - (500 - n / 3) * interval '1 s', $2"
                        + " FROM generate_series(1, 450) AS n",
                UUID.fromString(agent),
                CLOCK.instant().atOffset(java.time.ZoneOffset.UTC));

        var all = lines("");

        assertThat(all).hasSize(450);
        assertThat(all.stream().map(line -> line.path("asked_at").asText())).isSorted();
        assertThat(all.stream().map(line -> line.path("action").asText()).distinct())
                .hasSize(450);
        String from = all.get(100).path("asked_at").asText();
        String to = all.get(200).path("asked_at").asText();
        assertThat(lines("&from=" + from + "&to=" + to))
                .isNotEmpty()
                .allMatch(line -> line.path("asked_at").asText().compareTo(from) >= 0
                        && line.path("asked_at").asText().compareTo(to) < 0);
    }

    @Test
    void people_of_a_branch_export_what_was_asked_there() {
        String ours = registry.create("Ours");
        String child = registry.child("Child", ours);
        String theirs = registry.create("Theirs");
        for (String agent : List.of(ours, child, theirs)) {
            decide(agent, ask(agent, "{\"action\":\"deploy\"}"), "{\"decision\":\"denied\"}", ADMIN);
        }
        String viewer = persons.come(
                "vic" + UUID.randomUUID(), "\"roles\":[{\"branch\":\"%s\",\"role\":\"viewer\"}]".formatted(ours));

        var answer = registry.get("/approvals/export", viewer);

        assertThat(answer.body()
                        .lines()
                        .map(ExportingDecisionsTest::json)
                        .map(line -> line.path("workspace_id").asText()))
                .containsExactlyInAnyOrder(ours, child);
        assertThat(registry.get("/approvals/export", registry.mint(ours)).status())
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "format=xml",
                "from=yesterday",
                "to=2026-01-01",
                "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
                "from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
                "to=%2B999999999-01-01T00:00:00Z"
            })
    void what_is_no_period_or_format_is_refused(String query) {
        assertThat(registry.send(HttpMethod.GET, "/approvals/export?" + query, null, ADMIN)
                        .status())
                .isEqualTo(400);
    }

    private static List<JsonNode> lines(String query) {
        var answer = registry.get("/approvals/export?format=jsonl" + query, ADMIN);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        return answer.body().equals("null")
                ? List.of()
                : answer.body().lines().map(ExportingDecisionsTest::json).toList();
    }

    private static JsonNode json(String line) {
        return Json.stored(line);
    }

    private static String ask(String agent, String body) {
        return registry.post("/workspaces/" + agent + "/approvals", body, ADMIN).text("approval_id");
    }

    private static void decide(String agent, String id, String body, String who) {
        var answer = registry.post("/workspaces/%s/approvals/%s/decide".formatted(agent, id), body, who);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    }
}
