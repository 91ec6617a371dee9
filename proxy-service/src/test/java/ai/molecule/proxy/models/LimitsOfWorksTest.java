package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
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
                .contains("the limit of $0.02 of the work it is for", "PATCH /work/" + work, "budget_exceeded");
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
                .contains("the limit of $0.0005 of the work it is for");
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
                .contains("the limit of $0.011 of the delegation it is for");

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
