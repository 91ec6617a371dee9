package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client of A2A 1.0 that makes no JSON-RPC gets along with an agent of 0.3 that knows nothing else. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpJsonAtTheDoorTest {

    private static final String HELLO =
            "{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hi\"}]}}";
    private static final String TASK =
            "{\"id\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    private final Queue<JsonNode> heard = new ConcurrentLinkedQueue<>();

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(vertx);
        agent = proxy.agent(request -> request.body().onSuccess(body -> {
            if (request.method().equals(HttpMethod.GET)) {
                json(request.response(), "{\"protocolVersion\":\"0.3.0\"}");
                return;
            }
            JsonNode asked = Json.stored(body.toString());
            heard.add(asked);
            String envelope = "{\"jsonrpc\":\"2.0\",\"id\":" + asked.path("id") + ",";
            String task = "{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"working\"}}";
            if (asked.path("params").path("id").asText().equals("over")) {
                request.response()
                        .putHeader("Content-Type", "text/event-stream")
                        .end("data: " + envelope + "\"error\":{\"code\":-32004,\"message\":\"the task is over\"}}\n\n");
            } else if (asked.path("params").path("id").asText().equals("nowhere")) {
                json(request.response(), envelope + "\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}");
            } else if (asked.path("method").asText().endsWith("stream")
                    || asked.path("method").asText().endsWith("resubscribe")) {
                request.response()
                        .putHeader("Content-Type", "text/event-stream")
                        .end("data: " + envelope + "\"result\":" + task + "}\n\n");
            } else {
                json(request.response(), envelope + "\"result\":" + task + "}");
            }
        }));
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void forget() {
        heard.clear();
    }

    @Test
    void a_message_is_sent_and_its_task_comes_bare() {
        var answer = post("/message:send", HELLO);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.getHeader("Content-Type")).isEqualTo("application/a2a+json");
        assertThat(answer.bodyAsString()).isEqualTo("{\"task\":" + TASK + "}");
        assertThat(heard.element().path("method").asText()).isEqualTo("message/send");
    }

    @Test
    void a_stream_is_read_and_come_back_to_bare() {
        var first = read(HttpMethod.POST, "/message:stream", HELLO);
        String id = first.lines().findFirst().orElseThrow().substring(4);
        var again = read(HttpMethod.GET, "/tasks/t-1:subscribe", "", "Last-Event-ID", id.replaceAll("-1$", "-0"));

        assertThat(first).isEqualTo("id: " + id + "\ndata: {\"task\":" + TASK + "}\n\n");
        assertThat(again).isEqualTo(first);
        assertThat(heard).hasSize(1);
    }

    @Test
    void a_task_is_asked_for_canceled_and_followed_by_its_path() {
        assertThat(get("/tasks/t-7?historyLength=2", "A2A-Version", "1.0").bodyAsString())
                .isEqualTo(TASK);
        assertThat(post("/tasks/t-7:cancel", "").bodyAsString()).isEqualTo(TASK);
        assertThat(read(HttpMethod.POST, "/tasks/t-7:subscribe", "")).contains("{\"task\":" + TASK + "}");

        assertThat(heard)
                .extracting(asked -> asked.path("method").asText() + asked.path("params"))
                .containsExactly(
                        "tasks/get{\"historyLength\":2,\"id\":\"t-7\"}",
                        "tasks/cancel{\"id\":\"t-7\"}",
                        "tasks/resubscribe{\"id\":\"t-7\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST"})
    void an_agent_that_refuses_on_a_stream_is_told_as_any_refusal(String method) {
        var answer = proxy.client
                .request(HttpMethod.valueOf(method), "/workspaces/" + agent + "/a2a/tasks/over:subscribe")
                .send()
                .await();

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.getHeader("Content-Type")).isEqualTo("application/json");
        assertThat(Json.stored(answer.bodyAsString())
                        .at("/error/details/0/reason")
                        .asText())
                .isEqualTo("UNSUPPORTED_OPERATION");
        assertThat(read(HttpMethod.POST, "/tasks/t-9:subscribe", "")).contains("{\"task\":" + TASK + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/tasks/nowhere | 1.0 | 404 | NOT_FOUND | TASK_NOT_FOUND",
                "/tasks/t-1?historyLength=-1 | 1.0 | 400 | INVALID_ARGUMENT | historyLength",
                "/tasks/t-1?historyLength=many | 1.0 | 400 | INVALID_ARGUMENT | historyLength",
                "/tasks/t-1 | 2.0 | 400 | FAILED_PRECONDITION | VERSION_NOT_SUPPORTED",
                "/tasks/t-1 | 0.3 | 400 | FAILED_PRECONDITION | VERSION_NOT_SUPPORTED",
                "/tasks?pageSize=0 | 1.0 | 400 | INVALID_ARGUMENT | pageSize",
                "/extendedAgentCard | 1.0 | 400 | FAILED_PRECONDITION | UNSUPPORTED_OPERATION"
            })
    void what_does_not_work_is_told_as_a_google_status(
            String path, String version, int status, String name, String detail) {
        var answer = get(path, "A2A-Version", version);
        var error = Json.stored(answer.bodyAsString()).path("error");

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.getHeader("Content-Type")).isEqualTo("application/json");
        assertThat(error.path("code").asInt()).isEqualTo(status);
        assertThat(error.path("status").asText()).isEqualTo(name);
        assertThat(error.path("details").toString()).contains(detail);
    }

    @Test
    void a_body_that_is_no_object_is_refused() {
        assertThat(List.of(
                        post("/message:send", "[1]").statusCode(),
                        post("/message:send", "{").statusCode()))
                .containsExactly(400, 400);
        assertThat(post("/message:send", "{").bodyAsString())
                .startsWith("{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\",\"message\":\"invalid JSON\"");
        assertThat(List.of(
                        post("/tasks/t-1:explode", "{}").statusCode(),
                        post("/message:explode", "{}").statusCode()))
                .containsExactly(404, 404);
        assertThat(heard).isEmpty();
    }

    @Test
    void each_path_may_begin_with_the_tenant_which_is_the_workspace() {
        String own = "/" + agent;

        assertThat(post(own + "/message:send", HELLO).bodyAsString()).isEqualTo("{\"task\":" + TASK + "}");
        assertThat(get(own + "/tasks/t-7", "A2A-Version", "1.0").bodyAsString()).isEqualTo(TASK);
        assertThat(post(own + "/tasks/t-7:cancel", "").bodyAsString()).isEqualTo(TASK);
        assertThat(get(own + "/tasks", "A2A-Version", "1.0").bodyAsString()).contains("\"nextPageToken\":\"\"");
        assertThat(get(own + "/tasks/t-7/pushNotificationConfigs").bodyAsString())
                .isEqualTo("{\"configs\":[],\"nextPageToken\":\"\"}");
        assertThat(get(own + "/extendedAgentCard").statusCode()).isEqualTo(400);
        assertThat(read(HttpMethod.POST, own + "/message:stream", HELLO)).contains("{\"task\":" + TASK + "}");
        heard.clear();
        String other = "/" + UUID.randomUUID();
        assertThat(List.of(
                        post(other + "/message:send", HELLO).statusCode(),
                        get(other + "/tasks", "A2A-Version", "1.0").statusCode(),
                        get("/tasks/t-7/other").statusCode()))
                .containsOnly(404);
        assertThat(heard).isEmpty();
    }

    @Test
    void who_names_no_version_gets_the_task_in_its_older_form() {
        assertThat(get("/tasks/t-1").bodyAsString()).contains("\"kind\":\"task\"");
    }

    private HttpResponse<Buffer> post(String path, String body) {
        return proxy.post("/workspaces/" + agent + "/a2a" + path, body, "A2A-Version", "1.0");
    }

    private HttpResponse<Buffer> get(String path, String... headers) {
        var request = proxy.client.get("/workspaces/" + agent + "/a2a" + path);
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return request.send().await();
    }

    private String read(HttpMethod method, String path, String body, String... headers) {
        return Reading.of(vertx, method, proxy.port, "/workspaces/" + agent + "/a2a" + path, body, headers)
                .end
                .join();
    }
}
