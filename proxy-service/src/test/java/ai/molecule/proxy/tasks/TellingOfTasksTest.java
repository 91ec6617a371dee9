package ai.molecule.proxy.tasks;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task's begin is written down, and told to whoever asks for it. */
@ExtendWith(VertxExtension.class)
class TellingOfTasksTest {

    private static final String LONG =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-1\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\","
                    + "\"text\":\"Please look\\n at this one\"},{\"kind\":\"text\",\"text\":\"and then write down everything that you have found there\"}]}}}";

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
    }

    @Test
    void a_question_about_a_task_is_no_task_and_no_piece_of_work() {
        var agent = proxy.agent(
                request -> json(
                        request.response(),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"canceled\"}}}"));
        String token = proxy.platform.tokenOf(agent);

        for (String method : List.of("tasks/cancel", "tasks/get", "molecule/tasks/byMessage")) {
            proxy.sending(
                            agent,
                            "{\"method\":\"%s\",\"params\":{\"id\":\"t-1\",\"messageId\":\"m\"}}".formatted(method))
                    .await();
        }
        proxy.sending(agent, LONG).await();

        await().until(() -> !list(agent, token, "?running=true").isEmpty());
        assertThat(list(agent, token, "?running=true").findValuesAsText("message_id"))
                .containsExactly("m-1");
    }

    @Test
    void one_that_runs_is_listed_only_for_whoever_asks_for_it() {
        List<HttpServerRequest> held = new CopyOnWriteArrayList<>();
        var agent = proxy.agent(request -> request.body().onSuccess(body -> held.add(request)));
        String token = proxy.platform.tokenOf(agent);
        var sending = proxy.sending(agent, LONG);

        await().until(() -> list(agent, token, "?running=true").size() == 1);
        var running = list(agent, token, "?running=true").get(0);
        assertThat(running.path("preview").asText())
                .isEqualTo("Please look at this one and then write down everything that ");
        assertThat(running.path("status").asText()).isEqualTo("running");
        assertThat(running.path("caller_id").isNull()).isTrue();
        assertThat(LONG)
                .contains("\"messageId\":\"" + running.path("message_id").asText() + "\"");
        assertThat(running.path("ended_at").isNull()).isTrue();
        assertThat(list(agent, token, "")).isEmpty();
        assertThat(proxy.platform.rows).noneMatch(row -> row.workspaceId().equals(agent));

        json(
                held.getFirst().response(),
                "{\"result\":{\"kind\":\"message\",\"parts\":[{\"kind\":\"text\",\"text\":\"found it\"}]}}");
        sending.await();

        await().until(() -> list(agent, token, "").size() == 1);
        assertThat(list(agent, token, "").get(0).path("status").asText()).isEqualTo("ok");
        await().untilAsserted(() -> assertThat(proxy.platform.tasks.stream()
                        .filter(event -> agent.equals(event.workspaceId())
                                && event.type().startsWith("TASK_"))
                        .map(event -> event.type() + " "
                                + event.payload().path("preview").asText()))
                .containsExactly("TASK_STARTED " + running.path("preview").asText(), "TASK_ENDED found it"));
        var ended = proxy.platform.tasks.stream()
                .filter(event -> event.type().equals("TASK_ENDED") && agent.equals(event.workspaceId()))
                .findFirst()
                .orElseThrow();
        assertThat(ended.payload().path("task").asText())
                .isEqualTo(running.path("id").asText());
        assertThat(ended.payload().path("target_id").asText()).isEqualTo(agent.toString());
    }

    @Test
    void the_row_about_its_end_has_the_tasks_id() {
        var agent = proxy.agentSaying("{\"result\":\"done\"}");
        proxy.send(agent, ProxyUnderTest.HELLO);

        await().until(() ->
                proxy.platform.rows.stream().anyMatch(row -> row.workspaceId().equals(agent)));
        var row = proxy.platform.rows.stream()
                .filter(one -> one.workspaceId().equals(agent))
                .findFirst()
                .orElseThrow();
        String token = proxy.platform.tokenOf(agent);
        await().until(() -> list(agent, token, "").size() == 1);
        assertThat(list(agent, token, "").get(0).path("id").asText())
                .isEqualTo(row.id().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"?limit=0", "?limit=x", "?running=maybe"})
    void a_query_that_makes_no_sense_is_refused(String query) {
        var agent = proxy.agentSaying("{}");
        var answer = proxy.client
                .get("/workspaces/" + agent + "/tasks" + query)
                .putHeader("Authorization", "Bearer " + proxy.platform.tokenOf(agent))
                .send()
                .await();

        assertThat(answer.statusCode()).isEqualTo(400);
    }

    private static JsonNode list(UUID agent, String token, String query) {
        return Json.stored(proxy.client
                .get("/workspaces/" + agent + "/tasks" + query)
                .putHeader("Authorization", "Bearer " + token)
                .send()
                .await()
                .bodyAsString());
    }
}
