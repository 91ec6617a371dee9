package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckPassport.Checked;
import ai.molecule.common.bus.registry.CheckPassport.Standing;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code POST /workspaces/:id/activity}. */
@ExtendWith(VertxExtension.class)
class ReportingActivityTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        workspace = service.organisation.add("reporter", null);
    }

    @Test
    void a_report_is_stored_as_the_workspaces_own_and_announced() {
        var canvas = service.canvas("");

        String answer = report("{\"activity_type\":\"task_update\",\"summary\":\"\",\"metadata\":{\"step\":1},"
                + "\"target_id\":\"not-a-uuid\",\"duration_ms\":5}");

        assertThat(answer).isEqualTo("200 {\"status\":\"logged\"}");
        var row = service.json("/workspaces/" + workspace + "/activity").get(0);
        assertThat(row.path("source_id").asText()).isEqualTo(workspace.toString());
        assertThat(row.path("target_id").isNull()).isTrue();
        assertThat(row.path("summary").isNull()).isTrue();
        assertThat(row.path("status").asText()).isEqualTo("ok");
        assertThat(row.path("request_body").toString()).isEqualTo("{\"step\":1}");
        await().until(() -> canvas.types().equals(java.util.List.of("ACTIVITY_LOGGED")));
    }

    @Test
    void of_an_unknown_workspace_nothing_is_kept_or_told_and_the_answer_is_the_same() {
        var canvas = service.canvas("");
        var unknown = UUID.randomUUID();

        String answer = service.post("/workspaces/" + unknown + "/activity", "{\"activity_type\":\"error\"}");
        report("{\"activity_type\":\"task_update\"}");

        assertThat(answer).isEqualTo("200 {\"status\":\"logged\"}");
        assertThat(service.get("/workspaces/" + unknown + "/activity")).isEqualTo("200 []");
        await().until(() -> !canvas.heard.isEmpty());
        assertThat(canvas.events())
                .extracting(event -> event.path("workspace_id").asText())
                .containsExactly(workspace.toString());
    }

    @Test
    void a_bad_report_is_refused_with_the_contracts_text_and_nothing_is_stored() {
        assertThat(report("{")).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(report("[]")).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(report("")).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(report("{\"activity_type\":\"error\",\"duration_ms\":\"5\"}"))
                .isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(report("{\"activity_type\":\"error\",\"duration_ms\":99999999999}"))
                .isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(report("{}")).isEqualTo("400 {\"error\":\"invalid request body: ActivityType is required\"}");
        assertThat(report("{\"activity_type\":\"gossip\"}"))
                .isEqualTo(
                        "400 {\"error\":\"invalid activity_type, must be one of: a2a_send, a2a_receive, task_update, "
                                + "agent_log, skill_promotion, memory_write, error\"}");
        assertThat(report("{\"activity_type\":\"error\",\"source_id\":\"" + UUID.randomUUID() + "\"}"))
                .isEqualTo("403 {\"error\":\"source_id must match authenticated workspace\"}");
        assertThat(report("{\"activity_type\":\"error\",\"summary\":\"" + "x".repeat(1_100_000) + "\"}"))
                .isEqualTo("413 {\"error\":\"request body too large\"}");
        assertThat(service.get("/workspaces/" + workspace + "/activity")).isEqualTo("200 []");
    }

    @Test
    void a_paused_workspace_still_reports_what_became_of_its_work_and_does_nothing_else() {
        String[] own = {"Authorization", "Bearer " + service.organisation.tokenFor(workspace)};
        String path = "/workspaces/" + workspace;
        String refused = "403 {\"error\":\"workspace is paused\"}";

        service.organisation.pause(workspace);

        await().until(() -> service.get(path + "/activity", own).equals(refused));
        assertThat(service.post(path + "/activity", "{\"activity_type\":\"task_update\",\"summary\":\"done\"}", own))
                .isEqualTo("200 {\"status\":\"logged\"}");
        assertThat(service.get(path + "/session-search", own)).isEqualTo(refused);
        assertThat(service.get(path + "/events/stream", own)).isEqualTo(refused);
        assertThat(service.post(path + "/notify", "{\"message\":\"hello\"}", own))
                .isEqualTo(refused);
        assertThat(service.json(path + "/activity").get(0).path("summary").asText())
                .isEqualTo("done");
    }

    @Test
    void nobody_reports_for_another(Vertx vertx) {
        var closed = EventsFixture.production(vertx);
        var victim = closed.organisation.add("victim", null);
        var thief = closed.organisation.add("thief", null);
        String report = "{\"activity_type\":\"error\"}";
        String path = "/workspaces/" + victim + "/activity";

        assertThat(closed.post(path, report)).isEqualTo("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(closed.post(path, report, "Authorization", "Bearer " + closed.organisation.tokenFor(thief)))
                .isEqualTo("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(closed.post(path, report, "Authorization", "Bearer root")).isEqualTo("200 {\"status\":\"logged\"}");
    }

    /** The registry says whose a passport is; shown by another it is none. */
    @Test
    void a_report_names_the_passport_that_was_given_to_its_agent_and_no_other() {
        var id = UUID.randomUUID();
        service.bus
                .serve(
                        CheckPassport.CONTRACT,
                        question -> Future.succeededFuture(
                                question.equals(new CheckPassport(workspace, "its.own.one"))
                                        ? new Checked(Standing.HOLDS, id, "person:kim")
                                        : Checked.NONE))
                .await();
        var thief = service.organisation.add("thief", null);

        service.post("/workspaces/" + workspace + "/activity", SENT, "X-Molecule-Passport", "its.own.one");
        service.post("/workspaces/" + workspace + "/activity", SENT, "X-Molecule-Passport", "a.forged.one");
        service.post("/workspaces/" + thief + "/activity", SENT, "X-Molecule-Passport", "its.own.one");

        var rows = service.json("/workspaces/" + workspace + "/activity");
        assertThat(rows.get(1).path("passport_id").asText()).isEqualTo(id.toString());
        assertThat(rows.get(1).path("on_behalf_of").asText()).isEqualTo("person:kim");
        assertThat(rows.get(0).has("on_behalf_of")).isFalse();
        var thiefs = service.json("/workspaces/" + thief + "/activity");
        assertThat(thiefs).hasSize(1);
        assertThat(thiefs.get(0).has("on_behalf_of")).isFalse();
    }

    /** What it says in its body of a passport is nobody's word. */
    @Test
    void a_report_is_kept_without_a_passport_where_nobody_can_tell_whose_it_is() {
        service.post(
                "/workspaces/" + workspace + "/activity",
                SENT.replace("}", ",\"on_behalf_of\":\"person:kim\"}"),
                "X-Molecule-Passport",
                "its.own.one");

        var rows = service.json("/workspaces/" + workspace + "/activity");
        assertThat(rows).hasSize(1);
        assertThat(rows.get(0).has("on_behalf_of")).isFalse();
    }

    private static final String SENT = "{\"activity_type\":\"a2a_send\",\"summary\":\"Asked a peer directly\"}";

    private String report(String body) {
        return service.post("/workspaces/" + workspace + "/activity", body);
    }
}
