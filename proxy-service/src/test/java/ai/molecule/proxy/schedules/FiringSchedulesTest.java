package ai.molecule.proxy.schedules;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A tick becomes a message to its agent, or a row that says why not. */
@ExtendWith(VertxExtension.class)
class FiringSchedulesTest {

    private static final Duration NOW = Duration.ZERO;

    @Test
    void a_tick_is_a_message_of_the_person_and_its_end_is_in_the_history(Vertx vertx) {
        var work = Scheduling.start(vertx);
        var agent = work.agent();
        var id = work.schedule(agent, "{'name':'hourly','cron_expr':'@hourly','prompt':'Look around.'}");
        work.due(id, NOW);

        var run = work.awaitRun(agent, id, "ok");

        String messageId = run.path("message_id").asText();
        assertThat(messageId)
                .matches("cron-[0-9a-f]{8}-[0-9a-f]{8}")
                .startsWith("cron-" + id.toString().substring(0, 8));
        assertThat(work.heard).containsExactly(messageId);
        assertThat(Objects.requireNonNull(work.messages.get(messageId))
                        .at("/params/message/parts/0/text")
                        .asText())
                .isEqualTo("Look around.");
        assertThat(run.at("/request/schedule_name").asText()).isEqualTo("hourly");
        assertThat(run.path("error_detail").isNull()).isTrue();
        var listed = work.listed(agent).path(0);
        assertThat(listed.path("run_count").asInt()).isEqualTo(1);
        assertThat(listed.path("last_status").asText()).isEqualTo("ok");
        assertThat(listed.path("next_run_at").asText()).endsWith(":00:00.000000Z");
        assertThat(work.events(agent))
                .singleElement()
                .asString()
                .startsWith("CRON_EXECUTED")
                .contains("\"status\": \"ok\"");
        await().until(() -> work.platform.rows.stream()
                .anyMatch(row -> row.workspaceId().equals(agent)
                        && row.sourceId() == null
                        && String.valueOf(row.requestBody()).contains(messageId)));
    }

    @Test
    void one_that_comes_once_comes_once(Vertx vertx) {
        var work = Scheduling.start(vertx);
        var agent = work.agent();
        var id = work.schedule(agent, "{'at':'2999-01-01T00:00:00Z','prompt':'p'}");
        work.database
                .query(
                        "UPDATE schedules SET expression = '@at ' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .execute()
                .await();
        work.due(id, NOW);

        work.awaitRun(agent, id, "ok");

        assertThat(work.listed(agent).path(0).path("next_run_at").isNull()).isTrue();
        assertThat(work.heard).hasSize(1);
    }

    @Test
    void while_the_run_before_goes_on_the_next_is_left_out_and_that_is_told(Vertx vertx) {
        var work = Scheduling.start(vertx);
        work.slow = true;
        var agent = work.agent();
        var id = work.schedule(agent, "{'every_seconds':3600,'prompt':'p'}");
        work.due(id, Duration.ofSeconds(30));
        await().until(() -> work.heard.size() == 1);
        work.due(id, NOW);

        var skipped = work.awaitRun(agent, id, "skipped");

        assertThat(skipped.path("error_detail").asText())
                .startsWith("the run of ")
                .endsWith(" goes on");
        assertThat(work.events(agent))
                .singleElement()
                .asString()
                .startsWith("CRON_SKIPPED")
                .contains("goes on");
        work.answerNow(work.heard.getFirst());
        work.awaitRun(agent, id, "ok");
        assertThat(work.heard).hasSize(1);
    }

    @Test
    void or_it_waits_for_its_turn(Vertx vertx) {
        var work = Scheduling.start(vertx);
        work.slow = true;
        var agent = work.agent();
        var id = work.schedule(agent, "{'every_seconds':3600,'prompt':'p','overlap':'queue'}");
        work.due(id, Duration.ofSeconds(30));
        await().until(() -> work.heard.size() == 1);
        work.due(id, NOW);
        await().until(() -> work.history(agent, id).size() == 2);

        work.slow = false;
        work.answerNow(work.heard.getFirst());

        await().untilAsserted(() -> assertThat(work.statuses(agent, id)).containsExactly("ok", "ok"));
        assertThat(work.heard).hasSize(2);
    }

    @Test
    void or_it_takes_the_place_of_the_run_before_which_is_cancelled(Vertx vertx) {
        var work = Scheduling.start(vertx);
        work.slow = true;
        var agent = work.agent();
        var id = work.schedule(agent, "{'every_seconds':3600,'prompt':'p','overlap':'replace'}");
        work.due(id, Duration.ofSeconds(30));
        await().until(() -> work.held.size() == 1);
        String first = work.heard.getFirst();
        work.due(id, NOW);

        await().until(() -> work.heard.size() == 2);
        assertThat(work.cancelled).containsExactly(first);
        work.answerNow(work.heard.getLast());
        work.awaitRun(agent, id, "ok");
        assertThat(work.awaitRun(agent, id, "skipped").path("error_detail").asText())
                .endsWith(" took its place");
    }

    @Test
    void a_paused_workspace_runs_nothing_and_says_so(Vertx vertx) {
        var work = Scheduling.start(vertx);
        var agent = work.agent();
        var id = work.schedule(agent, "{'cron_expr':'@hourly','prompt':'p'}");
        String url = Objects.requireNonNull(work.platform.urlOf(agent));
        work.platform.put(agent, url, true, WorkspaceStatus.PAUSED, false);
        work.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));
        await().until(() -> seen(work.post("/workspaces/%s/schedules/%s/run".formatted(agent, id), "{'send':true}"))
                .equals("409 {\"error\":\"workspace is paused\"}"));
        work.due(id, NOW);

        assertThat(work.awaitRun(agent, id, "skipped").path("error_detail").asText())
                .isEqualTo("workspace is paused");
        assertThat(work.heard).isEmpty();
        assertThat(work.listed(agent).path(0).path("next_run_at").isNull()).isFalse();
    }

    @Test
    void what_was_missed_is_told_and_made_up_for_as_the_schedule_says(Vertx vertx) {
        var work = Scheduling.start(vertx);
        var agent = work.agent();
        var id = work.schedule(agent, "{'every_seconds':3600,'prompt':'p'}");
        work.due(id, Duration.ofMinutes(150));

        var run = work.awaitRun(agent, id, "ok");

        assertThat(run.path("error_detail").asText()).isEqualTo("30 min late: the platform did not run then");
        assertThat(work.statuses(agent, id)).containsExactly("ok", "missed", "missed");
        assertThat(work.events(agent))
                .anySatisfy(
                        event -> assertThat(event).startsWith("CRON_SKIPPED").contains("\"ticks\": 2"));
        assertThat(work.heard).hasSize(1);
    }

    @Test
    void one_by_hand_runs_at_once_and_moves_no_tick(Vertx vertx) {
        var work = Scheduling.start(vertx);
        var agent = work.agent();
        var id = work.schedule(agent, "{'cron_expr':'0 0 1 1 *','prompt':'p'}");
        var next = work.listed(agent).path(0).path("next_run_at");

        assertThat(work.post("/workspaces/%s/schedules/%s/run".formatted(agent, id), "{'send':true}")
                        .statusCode())
                .isEqualTo(200);

        assertThat(work.awaitRun(agent, id, "ok").path("error_detail").asText()).isEqualTo("by hand");
        assertThat(work.listed(agent).path(0).path("next_run_at")).isEqualTo(next);
    }

    @Test
    void an_agent_that_fetches_its_messages_has_got_it(Vertx vertx) {
        var work = Scheduling.start(vertx);
        UUID poller = work.platform.workspace("remote://no-inbound", false, WorkspaceStatus.ONLINE, false);
        var id = work.schedule(poller, "{'cron_expr':'@hourly','prompt':'p'}");
        work.due(id, NOW);

        work.awaitRun(poller, id, "ok");

        assertThat(work.platform.rows.stream()
                        .filter(row -> String.valueOf(row.requestBody()).contains("cron-")))
                .hasSize(1);
    }

    @Test
    void while_the_registry_is_away_a_tick_waits_for_it(Vertx vertx) {
        var work = Scheduling.start(vertx);
        var agent = work.agent();
        var id = work.schedule(agent, "{'cron_expr':'@hourly','prompt':'p'}");
        work.platform.away = true;
        work.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));
        work.due(id, NOW);
        await().until(() -> work.platform.refused.get() > 0);
        work.platform.away = false;

        work.awaitRun(agent, id, "ok");

        assertThat(work.heard).hasSize(1);
    }
}
