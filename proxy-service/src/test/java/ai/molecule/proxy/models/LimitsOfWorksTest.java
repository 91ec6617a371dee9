package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a piece of work, or a delegation, may cost stops its calls and no others, is told of, and may be raised. */
@ExtendWith(VertxExtension.class)
class LimitsOfWorksTest {

    private static final String ROOT = "the-admin-token";
    private static final String ASKED = "{\"model\":\"m\",\"max_tokens\":1000}"; // promised $0.01 and a little

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    private String agent = "";

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder, limits -> limits, "ADMIN_TOKEN", ROOT);
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":900}}"); // 9,020 millionths
        door.proxy.platform.put(
                door.workspace,
                ProxyUnderTest.urlOf(ProxyUnderTest.serve(vertx, request -> {})), // which is at it for ever
                true,
                WorkspaceStatus.ONLINE,
                false);
        agent = door.workspace.toString();
    }

    @Test
    void a_work_stops_at_its_limit_and_goes_on_when_more_is_allowed() {
        String work = send(
                        HttpMethod.POST,
                        "/work",
                        "{\"title\":\"Write it\",\"to\":\"%s\",\"limit\":0.02}".formatted(agent))
                .getString("id");
        String[] trace = {"traceparent", "00-" + work.replace("-", "") + "-0123456789abcdef-01"};

        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, trace).statusCode()).isEqualTo(200);
        door.rows(1);
        assertThat(door.row().getUUID("work_id")).isEqualTo(UUID.fromString(work));
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, trace).statusCode()).isEqualTo(200);
        door.rows(2);
        var refused = door.ask(DoorUnderTest.CHAT, ASKED, trace);

        assertThat(refused.statusCode()).isEqualTo(402);
        assertThat(refused.getHeader("X-Molecule-Budget")).isEqualTo("exceeded");
        assertThat(refused.bodyAsString())
                .contains(
                        "the cost limit of $0.02 of this run ($0.01804 spent, $0.00 reserved",
                        "PATCH /work/" + work,
                        "budget_exceeded");
        var other = door.proxy.platform.tokenOf(UUID.randomUUID());
        assertThat(door.askAs(other, DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(200);
        var told = level(100);
        assertThat(told.getString("of")).isEqualTo("work");
        assertThat(told.getString("id")).isEqualTo(work);
        assertThat(told.getString("title")).isEqualTo("Write it");
        assertThat(told.getDouble("limit")).isEqualTo(0.02);
        assertThat(told.getDouble("spent")).isEqualTo(0.01804);

        await().until(() ->
                answer(HttpMethod.GET, "/work/" + work, "").bodyAsString().contains("\"needs_you\""));

        assertThat(send(HttpMethod.PATCH, "/work/" + work, "{\"limit\":0.5}").getDouble("limit"))
                .isEqualTo(0.5);

        await().until(() -> door.ask(DoorUnderTest.CHAT, ASKED, trace).statusCode() == 200);
        level(0);
        door.query("UPDATE proxy.tasks SET ended_at = now() WHERE workspace_id = $1");
        assertThat(answer(HttpMethod.GET, "/work/" + work, "").bodyAsString())
                .as("that it was refused a minute ago stops nobody who is done")
                .doesNotContain("\"needs_you\"");
    }

    @Test
    void a_work_whose_first_message_is_not_written_down_yet_is_not_taken_for_the_one_that_is_under_way() {
        send(HttpMethod.POST, "/work", "{\"title\":\"Whatever it costs\",\"to\":\"%s\"}".formatted(agent));
        await().until(() -> !door.query("SELECT 1 FROM proxy.tasks WHERE workspace_id = $1 AND work_id IS NOT NULL")
                .isEmpty());
        var work = UUID.randomUUID();
        door.query(
                "INSERT INTO proxy.works (id, root_task, workspace_id, asked_by, title, brief, limit_usd, created_at) VALUES ('%s', '%s', $1, 'ann', 'Little', '', 0.001, now())"
                        .formatted(work, UUID.randomUUID()));

        var refused = door.ask(
                DoorUnderTest.CHAT,
                ASKED,
                "traceparent",
                "00-" + work.toString().replace("-", "") + "-0123456789abcdef-01");

        assertThat(refused.statusCode()).isEqualTo(402);
        assertThat(refused.bodyAsString()).contains("PATCH /work/" + work);
    }

    @Test
    void eighty_percent_of_it_are_told_before_it_stops() {
        String work = send(
                        HttpMethod.POST,
                        "/work",
                        "{\"title\":\"Write it\",\"to\":\"%s\",\"limit\":0.021}".formatted(agent))
                .getString("id");
        String[] trace = {"traceparent", "00-" + work.replace("-", "") + "-0123456789abcdef-01"};

        door.ask(DoorUnderTest.CHAT, ASKED, trace);
        door.ask(DoorUnderTest.CHAT, ASKED, trace);

        assertThat(level(80).getString("id")).isEqualTo(work);
    }

    @Test
    void a_limit_below_a_cent_tells_its_level_when_it_is_used_up_and_its_end() {
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":40}}"); // 420 millionths
        String asked = "{\"model\":\"m\",\"max_tokens\":42}";
        String work = send(
                        HttpMethod.POST,
                        "/work",
                        "{\"title\":\"Write it\",\"to\":\"%s\",\"limit\":0.0005}".formatted(agent))
                .getString("id");
        String[] trace = {"traceparent", "00-" + work.replace("-", "") + "-0123456789abcdef-01"};

        assertThat(door.ask(DoorUnderTest.CHAT, asked, trace).statusCode()).isEqualTo(200);
        var most = level(80);
        assertThat(most.getDouble("limit")).isEqualTo(0.0005);
        assertThat(most.getDouble("spent")).isEqualTo(0.00042);

        assertThat(door.ask(DoorUnderTest.CHAT, asked, trace).bodyAsString())
                .contains("the cost limit of $0.0005 of this run");
        assertThat(level(100).getDouble("spent")).isEqualTo(0.00042);

        send(HttpMethod.PATCH, "/work/" + work, "{\"limit\":0.002}");
        level(0);
    }

    @Test
    void a_delegation_stops_at_its_limit_and_goes_on_when_more_is_allowed() {
        var source = UUID.randomUUID();
        String delegation = send(
                        HttpMethod.POST,
                        "/workspaces/" + source + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"count\",\"limit\":0.011}".formatted(agent))
                .getString("delegation_id");
        String[] context = {"X-Molecule-Context", delegation};

        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, context).statusCode()).isEqualTo(200);
        door.rows(1);
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, context).bodyAsString())
                .contains("the cost limit of $0.011 of this delegation");

        send(HttpMethod.PATCH, "/workspaces/%s/delegations/%s".formatted(source, delegation), "{\"limit\":null}");

        await().until(() -> door.ask(DoorUnderTest.CHAT, ASKED, context).statusCode() == 200);
    }

    @Test
    void the_clock_of_a_delegation_stands_still_while_its_target_rests_for_money() {
        var source = UUID.randomUUID();
        door.proxy.platform.put(source, "http://127.0.0.1:1", true, WorkspaceStatus.ONLINE, false);
        door.proxy.platform.mayTalk(source, door.workspace);
        String delegation = send(
                        HttpMethod.POST,
                        "/workspaces/" + source + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"count\",\"limit\":0.001}".formatted(agent))
                .getString("delegation_id");
        String clock = "SELECT stopped_at FROM proxy.delegations WHERE target_id = $1 AND stopped_at IS ";

        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, "X-Molecule-Context", delegation)
                        .statusCode())
                .isEqualTo(402);
        await().until(() -> !door.query(clock + "NOT NULL").isEmpty());

        door.query("UPDATE proxy.waits SET until = now() WHERE workspace_id = $1 AND cause = 'money'");
        await().until(() -> !door.query(clock + "NULL").isEmpty());
    }

    @Test
    void who_allowed_more_is_recorded() {
        String work = send(
                        HttpMethod.POST,
                        "/work",
                        "{\"title\":\"Write it\",\"to\":\"%s\",\"limit\":0.02}".formatted(agent))
                .getString("id");

        send(HttpMethod.PATCH, "/work/" + work, "{\"limit\":0.5}");

        assertThat(door.query("SELECT entry FROM log.audit WHERE workspace_id = $1"))
                .singleElement()
                .extracting(row -> row.getString(0))
                .asString()
                .contains("\"work.limited\"", work, "[0.02, 0.5]", "\"admin-token\"");
    }

    @Test
    void a_run_for_which_no_limit_is_given_has_the_organizations() {
        assertThat(answer(HttpMethod.GET, "/settings/spending", "").bodyAsJsonObject())
                .isEqualTo(new JsonObject("{\"run_limit\":5,\"day_cap\":null}"));
        assertThat(begin("").getDouble("limit")).isEqualTo(5);

        send(HttpMethod.PUT, "/settings/spending", "{\"run_limit\":0.02}");
        var run = begin("");
        assertThat(run.getDouble("limit")).isEqualTo(0.02);
        String[] trace = traceOf(run);
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, trace).statusCode()).isEqualTo(200);
        door.rows(1);
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED, trace).statusCode()).isEqualTo(200);
        door.rows(2);

        var refused = door.ask(DoorUnderTest.CHAT, ASKED, trace);

        assertThat(refused.statusCode()).isEqualTo(402);
        assertThat(refused.bodyAsString()).contains("the cost limit of $0.02 of this run ($0.01804 spent");
        assertThat(level(100).getString("asked_by")).isEqualTo("admin-token");
        assertThat(begin(",\"limit\":null").getValue("limit")).isNull();
        send(HttpMethod.PUT, "/settings/spending", "{\"run_limit\":0}");
        assertThat(begin("").getValue("limit")).isNull();
        assertThat(door.query(
                        "SELECT entry FROM log.audit WHERE entry LIKE '%spending.changed%' AND $1::uuid IS NOT NULL"))
                .hasSize(2);
    }

    @Test
    void a_run_that_a_message_begins_has_the_organizations_limit_from_its_first_call_on() {
        send(HttpMethod.PUT, "/settings/spending", "{\"run_limit\":0.000001}");
        String trace = "00-" + UUID.randomUUID().toString().replace("-", "") + "-0123456789abcdef-01";
        door.proxy
                .client
                .post("/workspaces/%s/a2a".formatted(agent))
                .putHeader("Authorization", "Bearer " + ROOT)
                .putHeader("traceparent", trace)
                .sendBuffer(
                        Buffer.buffer(
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"messageId\":\"m\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}"));

        var refused = await().until(
                        () -> door.ask(DoorUnderTest.CHAT, ASKED, "traceparent", trace), // once it is taken in
                        answer -> answer.statusCode() == 402);

        assertThat(refused.bodyAsString()).contains("of this run");
    }

    @Test
    void a_limit_that_nobody_chose_lets_pass_what_cannot_be_bounded_and_one_that_was_chosen_refuses_it() {
        String unpriced = "{\"model\":\"nobody-knows\"}";
        String searching = "{\"model\":\"m\",\"max_tokens\":10,\"web_search_options\":{}}";
        String[] byDefault = traceOf(begin(""));
        String[] chosen = traceOf(begin(",\"limit\":5"));

        assertThat(door.ask(DoorUnderTest.CHAT, unpriced, byDefault).statusCode())
                .isEqualTo(200);
        assertThat(door.ask(DoorUnderTest.CHAT, searching, byDefault).statusCode())
                .isEqualTo(200);
        assertThat(door.ask(DoorUnderTest.CHAT, unpriced, chosen).bodyAsString())
                .contains("no_price");
        assertThat(door.ask(DoorUnderTest.CHAT, searching, chosen).bodyAsString())
                .contains("unbounded_cost");
    }

    @Test
    void calls_at_the_same_time_spend_no_more_than_the_limit_of_their_run() {
        send(HttpMethod.PUT, "/settings/spending", "{\"run_limit\":0.05}");
        String[] trace = traceOf(begin(""));

        var answers = Future.join(IntStream.range(0, 20)
                        .mapToObj(nth -> door.asking(door.token, DoorUnderTest.CHAT, ASKED, trace))
                        .toList())
                .await();

        assertThat(IntStream.range(0, 20)
                        .map(nth -> answers.<HttpResponse<Buffer>>resultAt(nth).statusCode()))
                .containsOnly(200, 402);
        await().untilAsserted(() -> assertThat(
                        door.query(
                                "SELECT spent, reserved FROM proxy.model_team_budgets WHERE kind = 'work' AND $1::uuid IS NOT NULL"))
                .singleElement()
                .satisfies(account -> {
                    assertThat(account.getLong("reserved")).isZero();
                    assertThat(account.getLong("spent")).isPositive().isLessThanOrEqualTo(50_000);
                }));
    }

    @Test
    void the_cap_of_a_day_bounds_all_agents_counts_what_was_spent_before_it_was_set_and_is_told() {
        var root = new Directory.Entry(door.workspace, null, "Writer", null, WorkspaceStatus.ONLINE, true);
        door.proxy
                .platform
                .bus
                .serve(Directory.CONTRACT, question -> Future.succeededFuture(new Directory.Snapshot(List.of(root))))
                .await();
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(200);
        door.rows(1);
        send(HttpMethod.PUT, "/settings/spending", "{\"day_cap\":0.015}");

        var other = door.proxy.platform.tokenOf(UUID.randomUUID());
        var refused =
                await().until(() -> door.askAs(other, DoorUnderTest.CHAT, ASKED), answer -> answer.statusCode() == 402);

        assertThat(refused.bodyAsString())
                .contains(
                        "the organization's cap of $0.015 for this day (UTC)",
                        "day_cap_exceeded",
                        "molecule budget --day-cap");
        assertThat(refused.getHeader("X-Molecule-Budget")).isEqualTo("exceeded");
        var told = level(100);
        assertThat(told.getString("of")).isEqualTo("organization");
        assertThat(told.getDouble("limit")).isEqualTo(0.015);

        send(HttpMethod.PUT, "/settings/spending", "{\"day_cap\":null}");
        await().until(() -> door.askAs(other, DoorUnderTest.CHAT, ASKED).statusCode() == 200);
        level(0);
    }

    @Test
    void what_is_no_amount_changes_no_setting() {
        for (String body : List.of(
                "{}",
                "[]",
                "{\"run_limit\":-1}",
                "{\"run_limit\":\"5\"}",
                "{\"day_cap\":1000001,\"run_limit\":7}",
                "{\"day_cap\":0.0000001}",
                "{\"day_cap\":true}")) {
            assertThat(answer(HttpMethod.PUT, "/settings/spending", body).statusCode())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(send(HttpMethod.GET, "/settings/spending", "").getDouble("run_limit"))
                .isEqualTo(5);
    }

    private JsonObject begin(String more) {
        return send(HttpMethod.POST, "/work", "{\"title\":\"Write it\",\"to\":\"%s\"%s}".formatted(agent, more));
    }

    private static String[] traceOf(JsonObject run) {
        return new String[] {"traceparent", "00-" + run.getString("id").replace("-", "") + "-0123456789abcdef-01"};
    }

    @Test
    void what_is_no_limit_is_refused() {
        String path = "/work/" + UUID.randomUUID();

        for (String body : List.of("{}", "{\"limit\":0}", "{\"limit\":\"1\"}", "{\"limit\":0.0000001}")) {
            assertThat(answer(HttpMethod.PATCH, path, body).statusCode())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(answer(HttpMethod.PATCH, path, "{\"limit\":1}").statusCode()).isEqualTo(404);
        assertThat(answer(HttpMethod.PATCH, "/workspaces/%s/delegations/x".formatted(agent), "{\"limit\":1}")
                        .statusCode())
                .isEqualTo(404);
    }

    /** The newest, once it has that percentage. */
    private JsonObject level(int percent) {
        return await().until(
                        () -> door
                                .query(
                                        "SELECT payload::text FROM log.events WHERE event_type = 'LIMIT_LEVEL' AND workspace_id = $1 ORDER BY id DESC LIMIT 1")
                                .stream()
                                .map(row -> new JsonObject(row.getString(0)))
                                .filter(payload -> payload.getInteger("percent") == percent)
                                .findFirst()
                                .orElse(new JsonObject()),
                        payload -> !payload.isEmpty());
    }

    private JsonObject send(HttpMethod method, String path, String body) {
        var answer = answer(method, path, body);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isBetween(200, 202);
        return answer.bodyAsJsonObject();
    }

    private HttpResponse<Buffer> answer(HttpMethod method, String path, String body) {
        return door.proxy
                .client
                .request(method, path)
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(Buffer.buffer(body))
                .await();
    }
}
