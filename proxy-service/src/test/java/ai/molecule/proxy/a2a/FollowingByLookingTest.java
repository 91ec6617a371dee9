package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import ai.molecule.testkit.Waits;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A task of an agent that has no streams is followed all the same, in either version: the platform looks. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FollowingByLookingTest {

    private static final Pattern DATA = Pattern.compile("(?m)^data: (.*)$");

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    private volatile String state = "";

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(vertx);
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void begin() {
        state = "working";
        agent = proxy.agent(this::answer); // of whose task the journal knows nothing
    }

    @Test
    void a_caller_of_0_3_sees_the_task_and_then_what_changes_and_may_come_back() throws Exception {
        var reading = follow("tasks/resubscribe");
        await().until(() -> results(reading).size() == 1);
        var again = follow("tasks/resubscribe");
        await().until(() -> results(again).size() == 1);
        state = "completed";

        reading.end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(results(reading))
                .containsExactly(
                        "{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"working\"}}",
                        "{\"kind\":\"artifact-update\",\"taskId\":\"t\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]},\"append\":false,\"lastChunk\":true}",
                        "{\"kind\":\"status-update\",\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"completed\"},\"final\":true}");
        again.end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(results(again)).isEqualTo(results(reading));
    }

    @Test
    void a_caller_of_1_0_sees_the_same_in_1_0_and_is_refused_once_it_is_over() throws Exception {
        var reading = follow("SubscribeToTask");
        await().until(() -> !results(reading).isEmpty());
        state = "completed";

        reading.end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(results(reading).getFirst())
                .isEqualTo(
                        "{\"task\":{\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}");
        assertThat(results(reading).getLast())
                .isEqualTo(
                        "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}");
        // who comes while the last reader is still seen off hears the same as that one
        await().untilAsserted(() -> assertThat(
                        follow("SubscribeToTask").end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .contains("-32004"));
    }

    @Test
    void a_task_that_is_not_there_is_refused_as_its_agent_refuses_to_stream() throws Exception {
        state = "";

        assertThat(follow("tasks/resubscribe").end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .contains("-32601");
    }

    private Reading follow(String method) {
        return Reading.of(
                vertx,
                HttpMethod.POST,
                proxy.port,
                "/workspaces/" + agent + "/a2a",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{\"id\":\"t\"}}");
    }

    private static List<String> results(Reading reading) {
        return DATA.matcher(reading.soFar())
                .results()
                .map(event -> Json.stored(event.group(1)).path("result").toString())
                .toList();
    }

    private void answer(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.GET)) {
            request.response().setStatusCode(404).end();
            return;
        }
        request.body().onSuccess(read -> {
            String method = Json.stored(read.toString()).path("method").asText();
            String artifacts = state.equals("completed")
                    ? ",\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}]"
                    : "";
            json(
                    request.response(),
                    !method.equals("tasks/get")
                            ? "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found\"}}"
                            : state.isEmpty()
                                    ? "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}"
                                    : "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\""
                                            + state + "\"}" + artifacts + "}}");
        });
    }
}
