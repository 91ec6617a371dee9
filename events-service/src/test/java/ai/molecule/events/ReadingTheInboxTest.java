package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.proxy.WaitsBehind;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /inbox}: one row for each thing that waits for a person, as the event log tells it. */
@ExtendWith(VertxExtension.class)
class ReadingTheInboxTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID writer;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        writer = service.organisation.add("Writer", null);
    }

    @Test
    void an_approval_waits_until_it_is_decided() {
        var id = UUID.randomUUID().toString();
        var asked = Json.object()
                .put("approval_id", id)
                .put("action", "publish report")
                .put("reason", "it is ready")
                .put("task_id", "")
                .put("expires_at", "2999-01-01T00:00:00.000000Z");
        asked.set("context", Json.object().put("file", "report.html"));
        tell("APPROVAL_REQUESTED", asked);

        var row = onlyRow();
        assertThat(row.path("kind").asText()).isEqualTo("approval");
        assertThat(row.path("part").asText()).isEqualTo("decide");
        assertThat(row.path("workspace_id").asText()).isEqualTo(writer.toString());
        assertThat(row.path("workspace_name").asText()).isEqualTo("Writer");
        assertThat(row.path("text").asText()).isEqualTo("publish report");
        assertThat(row.path("expires_at").asText()).isEqualTo("2999-01-01T00:00:00.000000Z");
        assertThat(row.path("dismissible").asBoolean()).isFalse();
        assertThat(Json.text(row.path("details")))
                .isEqualTo(
                        "{\"action\":\"publish report\",\"reason\":\"it is ready\",\"context\":{\"file\":\"report.html\"},"
                                + "\"task_id\":\"\",\"approval_id\":\"" + id + "\"}");

        tell("APPROVAL_DECIDED", Json.object().put("approval_id", id).put("status", "approved"));

        assertThat(service.json("/inbox").path("rows")).isEmpty();
        assertThat(Json.text(service.json("/inbox").path("waiting"))).isEqualTo("{\"decide\":0,\"fix\":0}");
    }

    @Test
    void the_first_of_two_approvals_changes_the_row_and_not_since_when_it_waits() {
        var asked = Json.object().put("approval_id", "a-1").put("action", "pay");
        tell("APPROVAL_REQUESTED", asked);
        var before = onlyRow();

        asked.putObject("deciders").put("waits", "1 of 2 approved, waits for lee");
        tell("APPROVAL_UPDATED", asked);

        var after = onlyRow();
        assertThat(after.at("/details/deciders/waits").asText()).isEqualTo("1 of 2 approved, waits for lee");
        assertThat(after.path("id")).isEqualTo(before.path("id"));
        assertThat(after.path("since")).isEqualTo(before.path("since"));
        assertThat(after.path("position").asLong())
                .isGreaterThan(before.path("position").asLong());
        tell("APPROVAL_DECIDED", Json.object().put("approval_id", "a-1").put("status", "approved"));
        assertThat(service.json("/inbox").path("rows")).isEmpty();
    }

    @Test
    void each_row_says_how_much_waits_behind_it_where_the_proxy_knows_and_is_read_without_where_it_does_not() {
        tell(
                "APPROVAL_REQUESTED",
                Json.object().put("approval_id", "a-1").put("action", "publish").put("task_id", "t-1"));
        tell(
                "DELEGATION_FAILED",
                Json.object()
                        .put("delegation_id", "d-1")
                        .put("outcome", "unknown")
                        .put("error", "cut"));
        tell("WORKSPACE_PROVISION_FAILED", status("failed").put("error", "no key"));
        assertThat(behind()).containsExactly("null", "null", "null");
        List<WaitsBehind.Held> asked = new CopyOnWriteArrayList<>();
        service.bus
                .serve(WaitsBehind.CONTRACT, question -> {
                    asked.addAll(question.held());
                    return Future.succeededFuture(new WaitsBehind.Behind(List.of(
                            new WaitsBehind.Count(question.held().getFirst().id(), 2, 1))));
                })
                .await();

        assertThat(behind())
                .containsExactly("{\"tasks\":2,\"works\":1}", "{\"tasks\":0,\"works\":0}", "{\"tasks\":0,\"works\":0}");

        assertThat(asked)
                .extracting(WaitsBehind.Held::task)
                .containsExactly("t-1", null); // of the unknown outcome nothing is asked
        assertThat(asked).extracting(WaitsBehind.Held::workspaceId).containsOnly(writer);
    }

    private List<String> behind() {
        List<String> behind = new ArrayList<>();
        service.json("/inbox").path("rows").forEach(row -> behind.add(Json.text(row.path("behind"))));
        return behind;
    }

    @Test
    void every_source_has_a_row_and_leaves_by_its_own_end() {
        tell("TASK_WAITING", Json.object().put("task_id", "t1").put("question", "which colour?"));
        tell(
                "BUDGET_LEVEL",
                Json.object().put("percent", 80).put("budget_limit", 500).put("monthly_spend", 405));
        var limit = Json.object().put("of", "work").put("id", "w1").put("title", "Write it");
        tell(
                "LIMIT_LEVEL",
                limit.deepCopy().put("percent", 80).put("limit", 0.5).put("spent", 0.41));
        tell("WORKSPACE_PROVISIONING", status("provisioning").put("name", "Ada").put("admitted", false));
        tell("WORKSPACE_PROVISION_FAILED", status("failed").put("error", "no key for Anthropic"));

        assertThat(texts())
                .containsExactly(
                        "question which colour?",
                        "budget $4.05 of $5.00 of this month",
                        "limit $0.41 of $0.5 for: Write it",
                        "stranger Ada",
                        "failed no key for Anthropic");

        tell("TASK_WAIT_ENDED", Json.object().put("task_id", "t1"));
        tell("BUDGET_LEVEL", Json.object().put("percent", 0));
        tell("LIMIT_LEVEL", limit.put("percent", 0).put("limit", 1).put("spent", 0.41));
        var updated = status("failed");
        updated.set("changed", Json.object().put("admitted", true));
        tell("WORKSPACE_UPDATED", updated);
        tell("WORKSPACE_DEGRADED", status("degraded").put("sample_error", "HTTP 500"));
        assertThat(texts()).containsExactly("degraded HTTP 500");

        tell("WORKSPACE_ONLINE", status("online"));
        assertThat(texts()).isEmpty();

        tell("WORKSPACE_AWAITING_AGENT", status("awaiting_agent").put("name", "Guest"));
        assertThat(texts()).containsExactly("awaiting_agent Guest");
    }

    @Test
    void a_webhook_whose_maker_left_waits_until_somebody_took_it_over_and_holds_nothing_up() {
        tell("WEBHOOK_PAUSED", Json.object().put("webhook", "tickets").put("made_by", "person:kim"));
        tell("WEBHOOK_PAUSED", Json.object().put("webhook", "alerts").putNull("made_by"));

        assertThat(texts())
                .first()
                .asString()
                .startsWith("webhook Webhook \"tickets\" is paused, because the person who set its secret may not act");
        var row = service.json("/inbox").path("rows").path(0);
        assertThat(row.path("part").asText()).isEqualTo("fix");
        assertThat(Json.text(row.path("details"))).isEqualTo("{\"made_by\":\"person:kim\",\"webhook\":\"tickets\"}");
        assertThat(delete(row)).startsWith("409 ");

        tell("WEBHOOK_RESUMED", Json.object().put("webhook", "tickets"));

        assertThat(texts()).singleElement().asString().contains("\"alerts\"");
    }

    @Test
    void a_limit_below_a_cent_is_told_in_figures_that_a_person_reads() {
        var limit = Json.object().put("of", "work").put("id", "w1").put("title", "Write it");
        tell(
                "LIMIT_LEVEL",
                limit.deepCopy().put("percent", 80).put("limit", 0.0005).put("spent", 0.000_41));

        assertThat(texts()).containsExactly("limit $0.00041 of $0.0005 for: Write it");

        tell(
                "LIMIT_LEVEL",
                limit.deepCopy().put("percent", 100).put("limit", 0.0005).put("spent", 0.0005));
        assertThat(texts()).containsExactly("limit $0.0005 of $0.0005 for: Write it");

        tell("LIMIT_LEVEL", limit.put("percent", 0).put("limit", 10).put("spent", 0.0005));
        assertThat(texts()).isEmpty();
    }

    @Test
    void a_run_that_costs_more_than_usual_has_one_row_for_its_kind_until_a_person_dismisses_it() {
        var told = Json.object()
                .put("id", "w1")
                .put("title", "Write it")
                .put("asked_by", "chat")
                .put("kind", "schedule:s1")
                .put("spent", 0.41)
                .put("median", 0.1)
                .put("runs", 40);
        tell("RUN_COST_UNUSUAL", told);
        tell("RUN_COST_UNUSUAL", told.deepCopy().put("id", "w2").put("spent", 0.5));
        tell("RUN_COST_UNUSUAL", told.deepCopy().put("id", "w3").put("kind", "agent"));

        assertThat(texts())
                .containsExactly(
                        "unusual_cost $0.5, where the median of 40 earlier runs is $0.1: Write it",
                        "unusual_cost $0.41, where the median of 40 earlier runs is $0.1: Write it");
        var row = service.json("/inbox").path("rows").path(0);
        assertThat(row.path("details").path("id").asText()).isEqualTo("w2");
        assertThat(row.path("dismissible").asBoolean()).isTrue();
    }

    @Test
    void rows_leave_with_their_workspace() {
        tell("WORKSPACE_PROVISION_FAILED", status("failed").put("error", "broken"));
        tell("APPROVAL_REQUESTED", Json.object().put("approval_id", "a").put("action", "go"));

        tell("WORKSPACE_REMOVED", status("removed"));

        assertThat(texts()).isEmpty();
    }

    @Test
    void what_ends_by_itself_is_over_at_its_time() {
        tell(
                "APPROVAL_REQUESTED",
                Json.object().put("approval_id", "a").put("action", "go").put("expires_at", "2020-01-01T00:00:00Z"));

        assertThat(texts()).isEmpty();
    }

    @Test
    void readers_hear_of_what_came_and_of_what_is_over_since_their_position() {
        ask("one");
        ask("two");
        long position = service.json("/inbox").path("position").asLong();

        decide("one");
        ask("three");
        var changes = service.json("/inbox?since=" + position);

        assertThat(changes.path("rows").findValuesAsText("text")).containsExactly("three");
        assertThat(changes.path("resolved")).hasSize(1);
        assertThat(changes.path("more").asBoolean()).isFalse();
        assertThat(Json.text(changes.path("waiting"))).isEqualTo("{\"decide\":2,\"fix\":0}");
        long now = changes.path("position").asLong();
        assertThat(service.get("/inbox?since=" + now))
                .isEqualTo(
                        "200 {\"rows\":[],\"resolved\":[],\"position\":%d,\"waiting\":{\"decide\":2,\"fix\":0},\"more\":false}"
                                .formatted(now));
        assertThat(service.get("/inbox?since=" + (now + 1)))
                .isEqualTo("400 {\"error\":\"since is past the end of the inbox\"}");
    }

    @Test
    void pages_meet_without_hole_or_repeat() {
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ask("thing " + i);
            asked.add("thing " + i);
        }

        assertThat(readInPages("after", "next")).containsExactlyElementsOf(asked);
        List<String> changed = new ArrayList<>();
        long since = 0;
        JsonNode page;
        do {
            page = service.json("/inbox?limit=3&since=" + since);
            changed.addAll(page.path("rows").findValuesAsText("text"));
            since = page.path("position").asLong();
        } while (page.path("more").asBoolean());
        assertThat(changed).containsExactlyElementsOf(asked);
    }

    @Test
    void a_canvas_hears_that_it_changed_and_an_agent_does_not() {
        var canvas = service.canvas("");
        var agent = service.agent(writer, null, "");

        ask("publish");

        await().until(() -> canvas.types().contains("INBOX_CHANGED"));
        var told = canvas.events().stream()
                .filter(event -> event.path("event").asText().equals("INBOX_CHANGED"))
                .findFirst()
                .orElseThrow();
        assertThat(Json.text(told.path("payload"))).isEqualTo("{\"position\":1,\"waiting\":{\"decide\":1,\"fix\":0}}");
        await().until(() -> agent.types().contains("APPROVAL_REQUESTED"));
        assertThat(agent.types()).doesNotContain("INBOX_CHANGED");
    }

    @Test
    void it_is_the_same_on_every_replica_and_after_a_restart() {
        ask("publish");
        var before = service.get("/inbox");
        var second = service.replica();
        assertThat(second.get("/inbox")).isEqualTo(before);

        service.stop();
        ask("and another");

        assertThat(second.json("/inbox").path("rows").findValuesAsText("text"))
                .containsExactly("publish", "and another");
        second.stop();
    }

    @Test
    void what_nothing_ends_a_person_takes_away() {
        tell(
                "DELEGATION_FAILED",
                Json.object()
                        .put("delegation_id", "d")
                        .put("target_id", writer.toString())
                        .put("error", "outcome unknown: the agent went away")
                        .put("outcome", "unknown"));
        tell("DELEGATION_FAILED", Json.object().put("delegation_id", "e").put("error", "no"));
        ask("publish");
        var rows = service.json("/inbox").path("rows");
        assertThat(texts()).containsExactly("outcome_unknown outcome unknown: the agent went away", "approval publish");

        assertThat(delete(rows.path(1)))
                .isEqualTo("409 {\"error\":\"it leaves the inbox when what it waits for has happened\"}");
        assertThat(delete(rows.path(0))).isEqualTo("200 {\"status\":\"dismissed\"}");
        await().untilAsserted(() -> assertThat(texts()).containsExactly("approval publish"));
        assertThat(delete(rows.path(0))).isEqualTo("404 {\"error\":\"not in the inbox\"}");
    }

    @Test
    void long_words_of_agents_are_cut_and_never_through_a_character() {
        tell("TASK_WAITING", Json.object().put("task_id", "t").put("question", "😀".repeat(5_000)));

        var row = onlyRow();
        assertThat(row.path("text").asText()).hasSizeLessThanOrEqualTo(400).endsWith("😀…");
        assertThat(row.path("details").path("question").asText())
                .hasSizeLessThanOrEqualTo(2_000)
                .endsWith("😀…");
    }

    @Test
    void resolved_rows_are_forgotten_after_a_day_and_who_missed_them_is_told_to_read_anew() {
        ask("one");
        long position = service.json("/inbox").path("position").asLong();
        decide("one");
        ask("two");
        assertThat(service.json("/inbox").path("rows")).hasSize(1);
        service.pool
                .query("UPDATE inbox SET resolved_at = now() - interval '2 days' WHERE resolved_at IS NOT NULL")
                .execute()
                .await();

        service.stop(); // it forgets when it starts
        var again = service.replica();

        await().until(() -> again.get("/inbox?since=" + position).startsWith("410 "));
        assertThat(again.json("/inbox").path("rows").findValuesAsText("text")).containsExactly("two");
        again.stop();
    }

    @Test
    void what_is_no_position_is_refused() {
        for (String bad : List.of("since=x", "since=-1", "after=x", "limit=0", "limit=x")) {
            assertThat(service.get("/inbox?" + bad)).as(bad).startsWith("400 {\"error\":\"");
        }
        assertThat(service.get("/inbox?since=0&after=0"))
                .isEqualTo("400 {\"error\":\"since and after exclude each other\"}");
        assertThat(service.send(HttpMethod.DELETE, "/inbox/x", null)).startsWith("404 ");
    }

    private String delete(JsonNode row) {
        return service.send(HttpMethod.DELETE, "/inbox/" + row.path("id").asText(), null);
    }

    private List<String> readInPages(String parameter, String cursor) {
        List<String> texts = new ArrayList<>();
        JsonNode after = Json.MAPPER.getNodeFactory().numberNode(0);
        while (!after.isNull()) {
            var page = service.json("/inbox?limit=3&" + parameter + "=" + after.asLong());
            texts.addAll(page.path("rows").findValuesAsText("text"));
            after = page.path(cursor);
        }
        return texts;
    }

    private void ask(String action) {
        tell("APPROVAL_REQUESTED", Json.object().put("approval_id", action).put("action", action));
    }

    private void decide(String action) {
        tell("APPROVAL_DECIDED", Json.object().put("approval_id", action).put("status", "denied"));
    }

    private static ObjectNode status(String status) {
        return Json.object().put("status", status);
    }

    /** Completes when the event has its position: on a slow machine that takes longer than a reader waits for it. */
    private void tell(String type, ObjectNode payload) {
        EventLog.append(service.database, type, writer, payload).await();
        service.log.committed();
        await().until(() -> service.pool
                        .query("SELECT 1 FROM log.events WHERE seq IS NULL")
                        .execute()
                        .await()
                        .size()
                == 0);
    }

    private JsonNode onlyRow() {
        var rows = service.json("/inbox").path("rows");
        assertThat(rows).hasSize(1);
        return rows.path(0);
    }

    private List<String> texts() {
        List<String> texts = new ArrayList<>();
        service.json("/inbox")
                .path("rows")
                .forEach(row -> texts.add(
                        row.path("kind").asText() + " " + row.path("text").asText()));
        return texts;
    }
}
