package ai.molecule.proxy.push;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.SignNotification;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever wants to be told of a task is told of each change, whichever version its agent speaks and whatever happens meanwhile. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TellingReceiversTest {

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    /** How the agent's tasks stand. */
    private final Map<String, String> states = new ConcurrentHashMap<>();

    private final Queue<JsonNode> sent = new ConcurrentLinkedQueue<>();

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(vertx, HastyPush::of, "MOLECULE_ENV", "development");
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void join() {
        states.clear();
        sent.clear();
        agent = proxy.agent(this::answer);
    }

    @Test
    void a_receiver_of_0_3_is_told_each_change_of_a_task_in_order_with_what_it_believes() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);

        assertThat(
                        set(
                                "t",
                                told,
                                ",\"token\":\"secret-token\",\"authentication\":{\"schemes\":[\"Basic\"],\"credentials\":\"dTpw\"}"))
                .isEqualTo("{\"taskId\":\"t\",\"pushNotificationConfig\":{\"id\":\"t\",\"url\":\"" + told.url()
                        + "\",\"authentication\":{\"schemes\":[\"Basic\"]}}}");
        told.awaitStates("working");
        states.put("t", "input-required");
        told.awaitStates("working", "input-required");
        states.put("t", "completed");
        told.awaitStates("working", "input-required", "completed");

        var last = told.all.getLast();
        assertThat(last.body().toString())
                .isEqualTo("{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"completed\"},"
                        + "\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}]}");
        assertThat(last.headers().get("X-A2A-Notification-Token")).isEqualTo("secret-token");
        assertThat(last.headers().get("Authorization")).isEqualTo("Basic dTpw");
        assertThat(last.headers().get("Content-Type")).isEqualTo("application/json");
        assertThat(told.all.stream().map(Told.Notification::number)).doesNotHaveDuplicates();
    }

    @Test
    void what_a_receiver_believes_is_sealed_in_the_database_also_what_was_kept_in_clear_or_by_an_older_key() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);
        set(
                "t",
                told,
                ",\"token\":\"secret-token\",\"authentication\":{\"schemes\":[\"Basic\"],\"credentials\":\"dTpw\"}");
        told.awaitStates("working");
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        String mine = " WHERE task = (SELECT id FROM push_tasks WHERE workspace_id = '%s')".formatted(agent);
        String row = "SELECT push_configs::text FROM push_configs" + mine;
        assertThat(text(pool, row)).contains("2:first:").doesNotContain("secret-token", "dTpw");

        for (String before : new String[] {
            "UPDATE push_configs SET sealed = NULL, token = 'secret-token', credentials = 'dTpw'" + mine, "SELECT 1"
        }) {
            pool.query(before).execute().await();
            proxy.platform.key = proxy.platform.key.equals("2:first:") ? "2:second:" : "2:third:";
            var replica = proxy.replica();
            await().untilAsserted(() ->
                    assertThat(text(pool, row)).contains(proxy.platform.key).doesNotContain("secret-token", "dTpw"));
            replica.stopping().await();
        }
        states.put("t", "completed");
        told.awaitStates("working", "completed");
        assertThat(told.all.getLast().headers().get("X-A2A-Notification-Token")).isEqualTo("secret-token");
        assertThat(told.all.getLast().headers().get("Authorization")).isEqualTo("Basic dTpw");
    }

    @Test
    void rows_that_cannot_be_opened_do_not_keep_later_ones_in_clear() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);
        for (String name : new String[] {"lost-1", "lost-2", "late"}) {
            set("t", told, ",\"token\":\"a-token\",\"id\":\"" + name + "\"");
        }
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        String mine = " WHERE task = (SELECT id FROM push_tasks WHERE workspace_id = '%s') AND name ".formatted(agent);
        pool.query("UPDATE push_configs SET sealed = '2:gone:nothing'" + mine + "LIKE 'lost-%'")
                .execute()
                .await();
        pool.query("UPDATE push_configs SET sealed = NULL, token = 'a-token'" + mine + "= 'late'")
                .execute()
                .await();
        var secrets =
                new PgPushSecrets(proxy.platform.bus, new Database(vertx, proxy.databaseUrl(), "proxy", () -> {}));
        int rows = Integer.parseInt(text(pool, "SELECT count(*)::text FROM push_configs"));

        for (int looked = 0; looked <= rows; looked += 2) {
            secrets.sealOthers(2).await();
        }

        assertThat(text(pool, "SELECT push_configs::text FROM push_configs" + mine + "= 'late'"))
                .contains(proxy.platform.key)
                .doesNotContain("a-token");
    }

    private static String text(Pool pool, String sql) {
        return pool.query(sql).execute().await().iterator().next().getString(0);
    }

    @Test
    void a_receiver_of_1_0_is_told_in_1_0_whatever_the_agent_speaks() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);

        var created = call(
                "CreateTaskPushNotificationConfig",
                "{\"taskId\":\"t\",\"id\":\"mine\",\"url\":\"" + told.url()
                        + "\",\"token\":\"s\",\"authentication\":{\"scheme\":\"Bearer\",\"credentials\":\"c\"}}");

        assertThat(created.path("result").toString())
                .isEqualTo("{\"id\":\"mine\",\"taskId\":\"t\",\"url\":\"" + told.url()
                        + "\",\"authentication\":{\"scheme\":\"Bearer\"}}");
        told.awaitStates("TASK_STATE_WORKING");
        states.put("t", "completed");
        told.awaitStates("TASK_STATE_WORKING", "TASK_STATE_COMPLETED");
        assertThat(told.all
                        .getLast()
                        .body()
                        .at("/task/artifacts/0/parts/0/text")
                        .asText())
                .isEqualTo("done");
        assertThat(told.all.getLast().headers().get("Content-Type")).isEqualTo("application/a2a+json");
        assertThat(told.all.getLast().headers().get("Authorization")).isEqualTo("Bearer c");
    }

    @ParameterizedTest
    @CsvSource({"message/send, 0.3", "message/stream, 0.3", "SendMessage, 1.0", "SendStreamingMessage, 1.0"})
    void a_message_may_bring_its_receiver_along_of_which_the_agent_sees_nothing(String method, String version) {
        boolean is10 = version.equals("1.0");
        var told = Told.answering(vertx, 200);
        String message = is10
                ? "{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hi\"}]}"
                : "{\"kind\":\"message\",\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}";
        String member = is10 ? "taskPushNotificationConfig" : "pushNotificationConfig";

        var answer = proxy.send(
                agent,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{\"message\":" + message
                        + ",\"configuration\":{\"" + member + "\":{\"url\":\"" + told.url()
                        + "\"},\"historyLength\":3}}}",
                "A2A-Version",
                version);

        assertThat(answer.bodyAsString()).contains("begun");
        assertThat(sent.element().at("/params/configuration").toString()).contains("\"historyLength\":3");
        assertThat(sent.toString()).doesNotContain("ushNotificationConfig");
        states.put("begun", "completed");
        await().until(() -> told.states().toString().toLowerCase(Locale.ROOT).contains("completed"));
    }

    @Test
    void what_a_receiver_refuses_is_told_again_before_anything_newer() {
        states.put("t", "working");
        var told = Told.answering(vertx, 500, 503, 200);

        set("t", told, "");
        told.awaitStates("working", "working", "working");
        states.put("t", "completed");

        told.awaitStates("working", "working", "working", "completed");
        assertThat(told.all.subList(0, 3).stream()
                        .map(Told.Notification::number)
                        .distinct())
                .hasSize(1);
    }

    @Test
    void a_receiver_that_does_not_answer_holds_up_nobody_else() {
        states.put("t", "working");
        var silent = Told.answering(vertx, (request, n) -> {});
        var told = Told.answering(vertx, 204);

        set("t", silent, ",\"id\":\"silent\"");
        await().until(() -> silent.all.size() == 1);
        set("t", told, ",\"id\":\"quick\"");
        told.awaitStates("working");
        states.put("t", "completed");

        told.awaitStates("working", "completed");
        assertThat(silent.all).hasSize(1);
    }

    @Test
    void what_is_given_up_is_told_to_be_missing_with_the_next() {
        states.put("t", "working");
        var told = Told.answering(vertx, 500, 500, 500, 500, 200);

        set("t", told, "");
        told.awaitStates("working", "working", "working", "working");
        states.put("t", "completed");

        told.awaitStates("working", "working", "working", "working", "completed");
        assertThat(told.all.getLast().headers().get("X-Molecule-Gap")).isEqualTo("1");
        assertThat(told.all.getFirst().headers().contains("X-Molecule-Gap")).isFalse();
    }

    @Test
    void a_receiver_that_dies_while_it_is_told_is_told_again() {
        states.put("t", "working");
        var told = Told.answering(vertx, (request, n) -> {
            if (n <= 2) {
                request.connection().close();
            } else {
                request.response().end();
            }
        });

        set("t", told, "");

        told.awaitStates("working", "working", "working");
        assertThat(told.all.stream().map(Told.Notification::number).distinct()).hasSize(1);
    }

    @Test
    void a_receiver_that_is_gone_for_good_is_forgotten() {
        states.put("t", "working");
        var told = Told.answering(vertx, 410);
        set("t", told, "");

        await().until(() -> call03("list", "{\"id\":\"t\"}").path("result").isEmpty());
        assertThat(told.all).hasSize(1);
    }

    @Test
    void without_credentials_of_its_own_a_bearer_is_signed_by_the_organisation() {
        proxy.platform
                .bus
                .serve(
                        SignNotification.CONTRACT,
                        asked -> Future.succeededFuture(new SignNotification.Signed(
                                asked.workspaceId() + "|" + asked.audience() + "|" + asked.bodySha256())))
                .await();
        states.put("t", "working");
        var told = Told.answering(vertx, 200);

        set("t", told, ",\"authentication\":{\"schemes\":[\"Bearer\"]}");
        told.awaitStates("working");

        var notification = told.all.getFirst();
        String origin = told.url().substring(0, told.url().length() - "/told".length());
        assertThat(notification.headers().get("Authorization"))
                .isEqualTo("Bearer " + agent + "|" + origin + "|" + TaskDigest.of(Json.bytes(notification.body())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"id\":\"x\"} | pushNotificationConfig.url",
                "{\"url\":\"ftp://x/\"} | pushNotificationConfig.url",
                "{\"url\":\"http://169.254.169.254/latest\"} | pushNotificationConfig.url",
                "{\"url\":7} | pushNotificationConfig.url",
                "{\"url\":\"http://127.0.0.1:9/\",\"token\":\"a\\r\\nX-Evil: 1\"} | pushNotificationConfig.token",
                "{\"url\":\"http://127.0.0.1:9/\",\"token\":\"a\\nb\"} | pushNotificationConfig.token",
                "{\"url\":\"http://127.0.0.1:9/\",\"authentication\":{\"schemes\":[\"Bearer\"],\"credentials\":\"a\\rb\"}} | pushNotificationConfig.authentication.credentials",
                "{\"url\":\"http://127.0.0.1:9/\",\"authentication\":{\"schemes\":[\"Be arer\\r\\n\"],\"credentials\":\"c\"}} | pushNotificationConfig.authentication.schemes",
                "{\"url\":\"http://127.0.0.1:9/\",\"authentication\":{\"schemes\":[]}} | pushNotificationConfig.authentication.schemes",
                "{\"url\":\"http://127.0.0.1:9/\",\"authentication\":{\"schemes\":[\"Basic\"]}} | pushNotificationConfig.authentication.credentials"
            })
    void a_wrong_receiver_is_refused_by_the_members_name(String config, String named) {
        states.put("t", "working");

        var error = call03("set", "{\"taskId\":\"t\",\"pushNotificationConfig\":" + config + "}")
                .path("error");

        assertThat(error.path("code").asInt()).isEqualTo(-32602);
        assertThat(error.path("message").asText()).startsWith(named + " ");
    }

    @Test
    void receivers_are_listed_without_their_secrets_and_taken_away() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);
        String secrets =
                ",\"token\":\"to-ken\",\"authentication\":{\"schemes\":[\"Bearer\"],\"credentials\":\"cre-dentials\"}";
        set("t", told, secrets + ",\"id\":\"one\"");
        set("t", told, secrets + ",\"id\":\"two\"");

        var in03 = call03("list", "{\"id\":\"t\"}").path("result");
        var in10 = call("ListTaskPushNotificationConfigs", "{\"taskId\":\"t\"}").path("result");
        var one = call("GetTaskPushNotificationConfig", "{\"taskId\":\"t\",\"id\":\"two\"}")
                .path("result");

        assertThat(in03.findValuesAsText("id")).containsExactly("one", "two");
        assertThat(in10.path("configs").findValuesAsText("id")).containsExactly("one", "two");
        assertThat(in10.path("nextPageToken").asText("?")).isEmpty();
        assertThat(one.path("id").asText()).isEqualTo("two");
        assertThat(in03 + "" + in10 + one).doesNotContain("to-ken", "cre-dentials");
        assertThat(call03("delete", "{\"id\":\"t\",\"pushNotificationConfigId\":\"one\"}")
                        .toString())
                .contains("\"result\":null");
        assertThat(call("DeleteTaskPushNotificationConfig", "{\"taskId\":\"t\",\"id\":\"two\"}")
                        .path("result")
                        .toString())
                .isEqualTo("{}");
        assertThat(call03("list", "{\"id\":\"t\"}").path("result")).isEmpty();
        assertThat(call("GetTaskPushNotificationConfig", "{\"taskId\":\"t\",\"id\":\"two\"}")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32001);
    }

    @Test
    void a_workspace_sees_and_replaces_its_own_receivers_alone() {
        states.put("t", "working");
        var caller = proxy.platform.workspaceAt("http://127.0.0.1:9");
        proxy.platform.mayTalk(caller, agent);
        var told = Told.answering(vertx, 200);
        set("t", told, "");

        String list = rpc("tasks/pushNotificationConfig/list", "{\"id\":\"t\"}");
        assertThat(Json.stored(proxy.send(agent, list, "X-Workspace-ID", caller.toString())
                                .bodyAsString())
                        .path("result"))
                .isEmpty();
        proxy.send(
                agent,
                rpc(
                        "tasks/pushNotificationConfig/set",
                        "{\"taskId\":\"t\",\"pushNotificationConfig\":{\"url\":\"" + told.url() + "\"}}"),
                "X-Workspace-ID",
                caller.toString());
        assertThat(call03("list", "{\"id\":\"t\"}").path("result")).hasSize(2);
    }

    @Test
    void a_task_has_so_many_receivers_and_one_that_is_not_there_none() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);
        for (int i = 0; i < PushLimits.DEFAULT.ofTaskMax(); i++) {
            set("t", told, ",\"id\":\"r" + i + "\"");
        }

        var eleventh = call03(
                "set",
                "{\"taskId\":\"t\",\"pushNotificationConfig\":{\"id\":\"more\",\"url\":\"" + told.url() + "\"}}");

        assertThat(eleventh.at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(eleventh.at("/error/message").asText()).contains("at most 10 receivers");
        set("t", told, ",\"id\":\"r3\""); // the same one again is none more
        assertThat(call03("set", "{\"taskId\":\"other\",\"pushNotificationConfig\":{\"url\":\"" + told.url() + "\"}}")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32001);
    }

    @Test
    void an_agent_that_fetches_its_messages_has_no_tasks_that_could_be_looked_at() {
        var polling = proxy.platform.workspaceAt("remote://no-inbound");

        var answer = Json.stored(proxy.send(polling, rpc("tasks/pushNotificationConfig/list", "{\"id\":\"t\"}"))
                .bodyAsString());

        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32003);
    }

    @Test
    void the_other_binding_has_the_same_operations() {
        states.put("t", "working");
        var told = Told.answering(vertx, 200);
        String path = "/workspaces/" + agent + "/a2a/tasks/t/pushNotificationConfigs";

        var created = proxy.post(path, "{\"id\":\"c\",\"url\":\"" + told.url() + "\"}");

        assertThat(created.bodyAsString()).isEqualTo("{\"id\":\"c\",\"taskId\":\"t\",\"url\":\"" + told.url() + "\"}");
        told.awaitStates("TASK_STATE_WORKING");
        assertThat(proxy.client.get(path).send().await().bodyAsJsonObject().getJsonArray("configs"))
                .hasSize(1);
        assertThat(proxy.client.get(path + "/c").send().await().bodyAsString()).isEqualTo(created.bodyAsString());
        assertThat(proxy.client.delete(path + "/c").send().await().bodyAsString())
                .isEqualTo("{}");
        assertThat(proxy.client.get(path + "/c").send().await().statusCode()).isEqualTo(404);
    }

    private String set(String task, Told told, String more) {
        var answer = call03(
                "set",
                "{\"taskId\":\"" + task + "\",\"pushNotificationConfig\":{\"url\":\"" + told.url() + "\"" + more
                        + "}}");
        assertThat(answer.path("error").toString()).isEmpty();
        return answer.path("result").toString();
    }

    private JsonNode call03(String what, String params) {
        return call("tasks/pushNotificationConfig/" + what, params);
    }

    private JsonNode call(String method, String params) {
        return Json.stored(proxy.send(agent, rpc(method, params)).bodyAsString());
    }

    private static String rpc(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    /** An agent of 0.3 that begins a task of each message and tells how one stands. */
    private void answer(HttpServerRequest request) {
        if (request.method().name().equals("GET")) {
            request.response().setStatusCode(404).end();
            return;
        }
        request.body().onSuccess(read -> {
            JsonNode body = Json.stored(read.toString());
            String method = body.path("method").asText();
            if (method.equals("tasks/get")) {
                String task = body.at("/params/id").asText();
                String state = states.get(task);
                json(
                        request.response(),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,"
                                + (state == null
                                        ? "\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}"
                                        : "\"result\":" + task(task, state) + "}"));
                return;
            }
            sent.add(body);
            states.put("begun", "working");
            String begun = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + task("begun", "working") + "}";
            if (method.equals("message/stream")) {
                request.response()
                        .putHeader("Content-Type", "text/event-stream")
                        .end("data: " + begun + "\n\n");
            } else {
                json(request.response(), begun);
            }
        });
    }

    private static String task(String id, String state) {
        String end = state.equals("completed")
                ? ",\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}]"
                : "";
        return "{\"kind\":\"task\",\"id\":\"" + id + "\",\"contextId\":\"c\",\"status\":{\"state\":\"" + state + "\"}"
                + end + ",\"history\":[]}";
    }
}
