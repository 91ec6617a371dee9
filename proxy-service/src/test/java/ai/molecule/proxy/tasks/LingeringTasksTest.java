package ai.molecule.proxy.tasks;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A begin lingers for the end, and nobody who needs to know of it before finds it missing. */
@ExtendWith(VertxExtension.class)
class LingeringTasksTest {

    private static final String ROOT = "the-admin-token";

    @SuppressWarnings("NullAway.Init")
    private static StandInPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private static Pool database;

    private final Map<String, HttpServerRequest> held = new ConcurrentHashMap<>();

    @BeforeAll
    static void start(Vertx vertx) {
        platform = new StandInPlatform(vertx);
        String url = TestStores.freshDatabase();
        database = Postgres.pool(vertx, url, "proxy");
        var config = ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url, "ADMIN_TOKEN", ROOT));
        proxy = ProxyUnderTest.start(vertx, platform, config, work -> work);
    }

    /** As the database would be found after a kill: nobody has asked the proxy for it. */
    @Test
    void one_that_runs_on_is_in_the_database_without_anybody_asking_and_goes_on_running() {
        var agent = agent();
        var sending = send(agent, message("k-1", "Stay there"));

        await().until(() -> rows(agent).size() == 1);

        assertThat(rows(agent).getFirst().getString("status")).isEqualTo("running");
        var ofNobody = UUID.randomUUID();
        database.preparedQuery("INSERT INTO tasks (id, owner, workspace_id, preview, status, started_at)"
                        + " VALUES ($1, $1, $1, '', 'running', now())")
                .execute(Tuple.of(ofNobody))
                .await();
        await().until(() -> rows(ofNobody).getFirst().getString("status").equals("unknown"));
        assertThat(rows(agent).getFirst().getString("status")).isEqualTo("running");
        json(of(held, "k-1").response(), said("I did."));
        sending.await();
        await().until(() -> rows(agent).getFirst().getString("status").equals("ok"));
    }

    @Test
    void one_that_began_just_now_is_seen_by_whoever_reads() {
        var agent = agent();
        var sending = send(agent, message("r-1", "Just now"));
        await().until(() -> held.containsKey("r-1"));

        var running = tasks(agent, "?running=true");

        assertThat(running.findValuesAsText("status")).containsExactly("running");
        assertThat(running.findValuesAsText("preview")).containsExactly("Just now");
        json(of(held, "r-1").response(), said("Seen."));
        sending.await();
    }

    @Test
    void one_that_is_over_at_once_is_one_row_with_its_work_and_its_words() {
        var agent = proxy.agentSaying(said("All of it."));
        send(agent, message("w-1", "How much?\nTell me.")).await();

        await().until(() -> tasks(agent, "").size() == 1);

        var row = rows(agent).getFirst();
        assertThat(rows(agent)).hasSize(1);
        assertThat(row.getString("status")).isEqualTo("ok");
        assertThat(row.getUUID("work_id")).isEqualTo(row.getUUID("id"));
        assertThat(row.getString("answer")).isEqualTo("All of it.");
        var work = work(row.getUUID("work_id"));
        assertThat(work.path("title").asText()).isEqualTo("How much?");
        assertThat(work.path("state").asText()).isEqualTo("done");
        assertThat(work.path("ended_at").isTextual()).isTrue();
        assertThat(work.path("words").findValuesAsText("text")).containsExactly("How much?\nTell me.", "All of it.");
        assertThat(work.path("words").findValuesAsText("kind")).containsExactly("message", "answer");
    }

    @Test
    void one_that_fails_at_once_has_failed_and_so_has_its_work() {
        var agent = proxy.agentSaying("{\"error\":{\"code\":-32000,\"message\":\"no model\"}}");
        send(agent, message("f-1", "Try")).await();

        await().until(() -> tasks(agent, "").size() == 1);

        assertThat(rows(agent).getFirst().getString("status")).isEqualTo("error");
        var work = work(rows(agent).getFirst().getUUID("work_id"));
        assertThat(work.path("state").asText()).isEqualTo("failed");
        assertThat(work.path("words").findValuesAsText("text")).containsExactly("Try", "no model");
    }

    @Test
    void what_its_agent_hands_on_at_once_belongs_to_its_work() {
        var lead = agent();
        var helper = proxy.agentSaying(said("42"));
        platform.mayTalk(lead, helper);
        var sending = send(lead, message("h-1", "Ask the helper"));
        await().until(() -> held.containsKey("h-1"));

        var delegated = proxy.post(
                "/workspaces/" + lead + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"count\"}".formatted(helper),
                "Authorization",
                "Bearer " + platform.tokenOf(lead));
        assertThat(delegated.statusCode()).isEqualTo(202);
        var asked = proxy.post(
                "/workspaces/" + helper + "/a2a",
                message("h-2", "And you?"),
                "Authorization",
                "Bearer " + platform.tokenOf(lead),
                "X-Workspace-ID",
                lead.toString());
        assertThat(asked.statusCode()).isEqualTo(200);

        tasks(lead, "?running=true"); // has all of it written
        var id = rows(lead).getFirst().getUUID("work_id");
        await().until(() -> work(id).path("tree").size() == 3);
        assertThat(work(id).path("tree").findValuesAsText("preview"))
                .containsExactlyInAnyOrder("Ask the helper", "count", "And you?");
        json(of(held, "h-1").response(), said("42, it says."));
        sending.await();
    }

    private UUID agent() {
        return proxy.agent(request -> request.body().onSuccess(body -> {
            var message = Json.stored(body.toString());
            if (message.path("method").asText().startsWith("molecule/")) {
                json(request.response(), "{\"error\":{\"code\":-32601}}");
            } else {
                held.put(message.at("/params/message/messageId").asText(), request);
            }
        }));
    }

    private static List<Row> rows(UUID agent) {
        return database
                .preparedQuery("SELECT * FROM tasks WHERE workspace_id = $1")
                .execute(Tuple.of(agent))
                .await()
                .stream()
                .toList();
    }

    private static Future<HttpResponse<Buffer>> send(UUID agent, String body) {
        return proxy.client
                .post("/workspaces/" + agent + "/a2a")
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(Buffer.buffer(body));
    }

    private static JsonNode tasks(UUID agent, String query) {
        return read("/workspaces/" + agent + "/tasks" + query);
    }

    private static JsonNode work(UUID id) {
        return read("/work/" + id);
    }

    private static JsonNode read(String path) {
        return Json.stored(proxy.client
                .get(path)
                .putHeader("Authorization", "Bearer " + ROOT)
                .send()
                .await()
                .bodyAsString());
    }

    private static String said(String text) {
        return "{\"result\":{\"kind\":\"message\",\"role\":\"agent\",\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}"
                .formatted(text);
    }

    private static String message(String id, String text) {
        var message = Json.object().put("messageId", id).put("role", "user");
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        var body = Json.object().put("method", "message/send");
        body.putObject("params").set("message", message);
        return Json.text(body);
    }

    private static <T> T of(Map<String, T> map, String id) {
        return Objects.requireNonNull(map.get(id), id);
    }
}
