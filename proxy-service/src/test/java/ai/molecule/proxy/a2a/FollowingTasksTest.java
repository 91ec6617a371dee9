package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What can be asked about a task and done to it, while its agent is there and after. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FollowingTasksTest {

    private static final String STREAM = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\"params\":{}}";
    private static final String GET = task("tasks/get");
    private static final String CANCEL = task("tasks/cancel");
    private static final String CANCELED_TASK =
            "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":"
                    + "{\"state\":\"canceled\",\"timestamp\":\"2026-11-21T00:00:00Z\"}}}";
    private static final String TERMINAL =
            "{\"kind\":\"status-update\",\"taskId\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"canceled\","
                    + "\"timestamp\":\"2026-11-21T00:00:00Z\"},\"final\":true}";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest elsewhere;

    private final Queue<HttpServerResponse> streams = new ConcurrentLinkedQueue<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private volatile String taskAnswer = "";

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(
                vertx,
                config -> with(
                        config,
                        "journal",
                        with(
                                config.journal(),
                                Map.of(
                                        "lease",
                                        Duration.ofSeconds(5),
                                        "tick",
                                        Duration.ofMillis(200),
                                        "patience",
                                        Duration.ofSeconds(60)))));
        elsewhere = proxy.replica();
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void forget() {
        streams.clear();
        asked.clear();
    }

    @Test
    void an_agent_that_is_there_tells_of_its_task_itself() {
        var agent = agent();
        taskAnswer = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"n\":1.10}}";

        assertThat(seen(proxy.send(agent, GET))).isEqualTo("200 " + taskAnswer);
        assertThat(seen(get(agent, "t-1"))).isEqualTo("200 {\"kind\":\"task\",\"id\":\"t-1\",\"n\":1.10}");
        assertThat(asked).hasSize(2).allSatisfy(body -> assertThat(body).contains("tasks/get", "t-1"));
    }

    @Test
    void the_journal_tells_of_a_task_whose_agent_has_gone_or_has_forgotten_it() {
        var agent = agent();
        var reading = read(proxy, agent, STREAM);
        status("submitted");
        status("input-required");
        streams.element().end();
        reading.end.join();
        String journalled =
                "{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"input-required\"}}";
        taskAnswer = "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32001,\"message\":\"?\"}}";

        await().untilAsserted(() -> assertThat(seen(get(agent, "t-1"))).isEqualTo("200 " + journalled));
        assertThat(seen(elsewhere.send(agent, GET)))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":" + journalled + "}");

        proxy.platform.put(agent, "http://127.0.0.1:" + TestStores.freePort(), true, WorkspaceStatus.OFFLINE, true);
        proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));
        await().untilAsserted(() -> assertThat(seen(get(agent, "t-1"))).isEqualTo("200 " + journalled));
        assertThat(seen(proxy.send(agent, GET))).startsWith("200 ").contains(journalled);
    }

    @Test
    void a_task_that_nobody_knows_is_not_found_and_neither_is_one_of_another_caller() {
        var agent = agent();
        taskAnswer = "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32001,\"message\":\"?\"}}";
        var reading = read(proxy, agent, STREAM);
        status("working");
        streams.element().end();
        reading.end.join();
        var stranger = UUID.randomUUID();
        proxy.platform.mayTalk(stranger, agent);

        assertThat(seen(get(agent, "t-2"))).isEqualTo("404 {\"error\":\"task not found\"}");
        assertThat(seen(proxy.client
                        .get("/workspaces/" + agent + "/a2a/tasks/t-1")
                        .putHeader("X-Workspace-ID", stranger.toString())
                        .send()
                        .await()))
                .isEqualTo("404 {\"error\":\"task not found\"}");
        assertThat(seen(proxy.client
                        .get("/workspaces/" + agent + "/a2a/tasks/t-1")
                        .putHeader("X-Workspace-ID", UUID.randomUUID().toString())
                        .send()
                        .await()))
                .startsWith("403 ");
    }

    @Test
    void a_cancel_reaches_the_agent_and_ends_every_readers_stream_though_the_agent_does_not() {
        var agent = agent();
        taskAnswer = CANCELED_TASK;
        var first = read(proxy, agent, STREAM);
        status("working");
        await().until(() -> first.soFar().contains("working"));
        var second = read(elsewhere, agent, task("tasks/resubscribe"));
        await().until(() -> second.soFar().contains("working"));

        assertThat(seen(elsewhere.send(agent, CANCEL))).isEqualTo("200 " + CANCELED_TASK);

        assertThat(first.end.join()).endsWith("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + TERMINAL + "}\n\n");
        assertThat(second.end.join()).endsWith("data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":" + TERMINAL + "}\n\n");
        assertThat(asked).anyMatch(body -> body.equals(CANCEL));
    }

    @Test
    void an_agent_that_says_itself_that_its_task_is_canceled_says_it_once() {
        var agent = agent();
        taskAnswer = CANCELED_TASK;
        var first = read(proxy, agent, STREAM);
        status("working");
        await().until(() -> first.soFar().contains("working"));

        proxy.send(agent, CANCEL);
        status("canceled");
        status("working");
        streams.element().end();

        assertThat(first.end.join().split("canceled", -1)).hasSize(2);
        taskAnswer = "{\"error\":{\"code\":-32001}}";
        await().untilAsserted(() -> assertThat(seen(get(agent, "t-1"))).contains("\"state\":\"canceled\""));
    }

    private UUID agent() {
        return proxy.agent(request -> request.body().onSuccess(body -> {
            if (body.toString().contains("message/stream")) {
                open(request);
            } else {
                asked.add(body.toString());
                json(request.response(), taskAnswer);
            }
        }));
    }

    private void open(HttpServerRequest request) {
        var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
        response.writeHead();
        streams.add(response);
    }

    private void status(String state) {
        await().until(() -> !streams.isEmpty());
        streams.element()
                .write("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"taskId\":\"t-1\","
                        + "\"contextId\":\"c-1\",\"status\":{\"state\":\"" + state + "\"},\"final\":false}}\n\n");
    }

    private HttpResponse<Buffer> get(UUID agent, String taskId) {
        return proxy.client
                .get("/workspaces/" + agent + "/a2a/tasks/" + taskId)
                .send()
                .await();
    }

    private Reading read(ProxyUnderTest at, UUID agent, String body) {
        return Reading.of(vertx, HttpMethod.POST, at.port, "/workspaces/" + agent + "/a2a", body);
    }

    private static String task(String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"" + method + "\",\"params\":{\"id\":\"t-1\"}}";
    }
}
