package ai.molecule.proxy.schedules;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /workspaces/:id/schedules}: what is kept, and what is refused. */
@ExtendWith(VertxExtension.class)
class KeepingSchedulesTest {

    private static final String DAILY =
            "{'name':'daily','cron_expr':'0 9 * * *','timezone':'Europe/Berlin','prompt':'Report.'}";

    @SuppressWarnings("NullAway.Init")
    private static Scheduling work;

    @BeforeAll
    static void start(Vertx vertx) {
        work = Scheduling.start(vertx);
        work.platform
                .bus
                .serve(Directory.CONTRACT, asked -> Future.succeededFuture(new Directory.Snapshot(List.of())))
                .await();
    }

    @Test
    void one_is_made_listed_changed_and_deleted() {
        var agent = work.agent();
        var id = work.schedule(agent, DAILY);

        var one = work.listed(agent).path(0);
        assertThat(one.fieldNames())
                .toIterable()
                .contains(
                        "id",
                        "workspace_id",
                        "name",
                        "cron_expr",
                        "timezone",
                        "prompt",
                        "enabled",
                        "last_run_at",
                        "next_run_at")
                .contains("run_count", "last_status", "last_error", "source", "created_at", "updated_at");
        assertThat(one.path("next_run_at").asText()).matches(".*T0[78]:00:00.000000Z");
        assertThat(one.path("last_run_at").isNull()).isTrue();
        assertThat(one.path("source").asText()).isEqualTo("runtime");

        assertThat(seen(change(agent, id, "{'enabled':false,'every_seconds':600}")))
                .startsWith("200 {\"status\":\"updated\"");
        var changed = work.listed(agent).path(0);
        assertThat(changed.path("cron_expr").asText()).isEqualTo("@every 600s");
        assertThat(changed.path("every_seconds").asInt()).isEqualTo(600);
        assertThat(changed.path("next_run_at").isNull()).isTrue();
        assertThat(changed.path("prompt").asText()).isEqualTo("Report.");

        assertThat(seen(work.send(HttpMethod.DELETE, path(agent, id), ""))).isEqualTo("200 {\"status\":\"deleted\"}");
        assertThat(work.listed(agent)).isEmpty();
        assertThat(seen(work.send(HttpMethod.DELETE, path(agent, id), "")))
                .isEqualTo("404 {\"error\":\"schedule not found\"}");
    }

    @Test
    void existing_clients_are_told_the_prompt_and_send_it_themselves() {
        var agent = work.agent();
        var id = work.schedule(agent, DAILY);

        assertThat(seen(work.post(path(agent, id) + "/run", "")))
                .isEqualTo(
                        "200 {\"status\":\"fired\",\"workspace_id\":\"%s\",\"prompt\":\"Report.\"}".formatted(agent));
        assertThat(work.history(agent, id)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|cron_expr and prompt are required",
                "{'cron_expr':'61 * * * *','prompt':'p'}|invalid cron expression \\\"61 * * * *\\\": its minute is not within 0 to 59",
                "{'cron_expr':'@daily','prompt':'p','timezone':'Mars/Base'}|invalid timezone: Mars/Base",
                "{'at':'2001-01-01T00:00:00Z','prompt':'p'}|at is over",
                "[]|invalid request body"
            })
    void what_is_wrong_is_said_and_nothing_is_kept(String said, String error) {
        var agent = work.agent();

        assertThat(seen(work.post("/workspaces/" + agent + "/schedules", said)))
                .isEqualTo("400 {\"error\":\"%s\"}".formatted(error));
        assertThat(work.listed(agent)).isEmpty();
    }

    @Test
    void a_bad_change_changes_nothing() {
        var agent = work.agent();
        var id = work.schedule(agent, DAILY);
        var before = work.listed(agent);

        assertThat(change(agent, id, "{'cron_expr':'0 0 30 2 *','prompt':'q'}").statusCode())
                .isEqualTo(400);
        assertThat(change(agent, id, "{'timezone':'Mars/Base','prompt':'q'}").statusCode())
                .isEqualTo(400);
        assertThat(seen(change(agent, UUID.randomUUID(), "{'prompt':'q'}")))
                .isEqualTo("404 {\"error\":\"schedule not found\"}");

        assertThat(work.listed(agent)).isEqualTo(before);
    }

    @Test
    void a_name_is_one_schedules_and_there_are_a_hundred_at_most() {
        var agent = work.agent();
        work.schedule(agent, DAILY);

        assertThat(seen(work.post("/workspaces/" + agent + "/schedules", DAILY)))
                .isEqualTo("409 {\"error\":\"a schedule of that name exists\"}");
        for (int i = 1; i < 100; i++) {
            work.schedule(agent, "{'cron_expr':'@daily','prompt':'p'}");
        }
        assertThat(seen(work.post("/workspaces/" + agent + "/schedules", "{'cron_expr':'@daily','prompt':'p'}")))
                .isEqualTo("409 {\"error\":\"a workspace has at most 100 schedules\"}");
    }

    @Test
    void nobody_makes_one_for_an_unknown_or_removed_workspace() {
        assertThat(seen(work.post("/workspaces/" + UUID.randomUUID() + "/schedules", DAILY)))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
        var removed = work.platform.workspace("http://127.0.0.1:1", true, WorkspaceStatus.REMOVED, false);
        assertThat(seen(work.post("/workspaces/" + removed + "/schedules", DAILY)))
                .isEqualTo("409 {\"error\":\"workspace was removed\"}");
    }

    @Test
    void what_a_removed_workspace_had_is_switched_off_and_a_purge_deletes_it() {
        var agent = work.agent();
        work.schedule(agent, DAILY);

        String url = Objects.requireNonNull(work.platform.urlOf(agent));
        work.platform.put(agent, url, true, WorkspaceStatus.REMOVED, false);
        work.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));

        await().until(() -> !work.listed(agent).path(0).path("enabled").asBoolean());
        assertThat(work.listed(agent).path(0).path("next_run_at").isNull()).isTrue();

        work.platform.bus.poke(WorkspacesPurged.HINT, new WorkspacesPurged(List.of(agent)));

        await().until(() -> work.listed(agent).isEmpty());
    }

    @Test
    void those_of_an_organisations_file_are_set_by_name_and_a_persons_stay() {
        var agent = work.agent();
        work.schedule(agent, DAILY);
        var wanted = new SetSchedules(
                agent,
                List.of(
                        "{\"name\":\"daily\",\"cron_expr\":\"@daily\",\"prompt\":\"Of the file.\"}",
                        "{\"name\":\"hourly\",\"cron_expr\":\"@hourly\",\"prompt\":\"One.\"}"));
        work.platform.bus.call(SetSchedules.CONTRACT, wanted).await();
        var again =
                new SetSchedules(agent, List.of("{\"name\":\"hourly\",\"cron_expr\":\"@hourly\",\"prompt\":\"Two.\"}"));
        work.platform.bus.call(SetSchedules.CONTRACT, again).await();

        var list = work.listed(agent);
        assertThat(list.findValuesAsText("prompt")).containsExactly("Report.", "Two.");
        assertThat(list.findValuesAsText("source")).containsExactly("runtime", "template");
    }

    @Test
    void a_workspace_that_may_write_to_it_sees_how_it_stands_and_not_what_it_says() {
        var agent = work.agent();
        var friend = work.agent();
        work.platform.mayTalk(friend, agent);
        work.schedule(agent, DAILY);
        String health = "/workspaces/" + agent + "/schedules/health";
        String token = work.platform.tokenOf(friend);

        assertThat(seen(work.send(HttpMethod.GET, health, "")))
                .isEqualTo("401 {\"error\":\"X-Workspace-ID header required\"}");
        var told = Json.stored(work.send(
                        HttpMethod.GET,
                        health,
                        "",
                        "X-Workspace-ID",
                        friend.toString(),
                        "Authorization",
                        "Bearer " + token)
                .bodyAsString());
        assertThat(told.path(0).path("name").asText()).isEqualTo("daily");
        assertThat(told.path(0).has("prompt")).isFalse();
        assertThat(told.path(0).has("cron_expr")).isFalse();
        var stranger = work.agent();
        assertThat(work.send(
                                HttpMethod.GET,
                                health,
                                "",
                                "X-Workspace-ID",
                                stranger.toString(),
                                "Authorization",
                                "Bearer " + work.platform.tokenOf(stranger))
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void the_health_of_all_tells_which_does_not_run_as_often_as_it_says() {
        var agent = work.agent();
        var id = work.schedule(agent, "{'name':'often','every_seconds':60,'prompt':'p'}");
        work.database
                .query("UPDATE schedules SET last_run_at = now() - interval '1 h', updated_at = now() - interval '2 h',"
                        + " anchor = now() - interval '2 h', next_run_at = now() + interval '1 h', due_at = now() + interval '1 h'"
                        + " WHERE id = '" + id + "'")
                .execute()
                .await();

        var all = Json.stored(
                work.send(HttpMethod.GET, "/admin/schedules/health", "").bodyAsString());
        for (var one : all) {
            if (one.path("schedule_id").asText().equals(id.toString())) {
                assertThat(one.path("status").asText()).isEqualTo("stale");
                assertThat(one.path("stale_threshold_seconds").asInt()).isEqualTo(120);
                return;
            }
        }
        throw new AssertionError(all.toString());
    }

    private static io.vertx.ext.web.client.HttpResponse<io.vertx.core.buffer.Buffer> change(
            UUID agent, UUID id, String said) {
        return work.send(HttpMethod.PATCH, path(agent, id), said);
    }

    private static String path(UUID agent, UUID id) {
        return "/workspaces/%s/schedules/%s".formatted(agent, id);
    }
}
