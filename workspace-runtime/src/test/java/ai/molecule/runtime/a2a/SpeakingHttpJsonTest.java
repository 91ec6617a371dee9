package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.SpeakingVersion10Test.message10;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client of A2A 1.0 talks to this agent by paths and methods of HTTP. */
class SpeakingHttpJsonTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    private HttpResponse<String> ask(String method, String path, String body) throws Exception {
        return agent.exchange(HttpRequest.newBuilder(agent.url(path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .header("A2A-Version", "1.0"));
    }

    private JsonNode answer(String method, String path, String body) throws Exception {
        return json(ask(method, path, body).body());
    }

    @Test
    void a_message_is_sent_and_its_task_got_and_listed() throws Exception {
        var sent = ask("POST", "/message:send", message10("m1", "hi").toString());
        JsonNode task = json(sent.body()).path("task");

        assertThat(sent.statusCode()).isEqualTo(200);
        assertThat(sent.headers().firstValue("Content-Type")).contains("application/a2a+json");
        assertThat(task.at("/status/state").asText()).isEqualTo("TASK_STATE_COMPLETED");
        assertThat(answer("GET", "/tasks/" + task.path("id").asText(), "")).isEqualTo(task);
        assertThat(answer("GET", "/tasks/" + task.path("id").asText() + "?historyLength=0", "")
                        .has("history"))
                .isFalse();
        assertThat(answer(
                        "GET",
                        "/" + AgentUnderTest.WORKSPACE + "/tasks/"
                                + task.path("id").asText(),
                        ""))
                .isEqualTo(task);
        JsonNode page = answer("GET", "/tasks?pageSize=1&includeArtifacts=true", "");
        assertThat(page.at("/tasks/0")).isEqualTo(task);
        assertThat(page.path("nextPageToken").asText("?")).isEmpty();
    }

    @Test
    void a_stream_is_of_bare_events() throws Exception {
        var streamed = ask("POST", "/message:stream", message10("m1", "hi").toString());

        assertThat(streamed.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(streamed.body().lines().filter(line -> line.startsWith("data: ")))
                .hasSize(4)
                .first()
                .asString()
                .startsWith("data: {\"task\":{\"id\":");
    }

    @ParameterizedTest
    @CsvSource({"GET", "POST"})
    void a_task_is_followed_by_either_method_until_it_is_canceled(String method) throws Exception {
        ObjectNode params = message10("m1", "wait");
        params.putObject("configuration").put("returnImmediately", true);
        String id = answer("POST", "/message:send", params.toString())
                .at("/task/id")
                .asText();
        agent.executor.waiting.await();
        var following = agent.begin(HttpRequest.newBuilder(agent.url("/tasks/" + id + ":subscribe"))
                .method(method, BodyPublishers.noBody()));

        assertThat(answer("POST", "/tasks/" + id + ":cancel", "")
                        .at("/status/state")
                        .asText())
                .isEqualTo("TASK_STATE_CANCELED");
        assertThat(following.join().statusCode()).isIn(200, 400); // it may have come too late
        var late = ask(method, "/tasks/" + id + ":subscribe", "");
        assertThat(late.statusCode()).isEqualTo(400);
        assertThat(json(late.body()).at("/error/details/0/reason").asText()).isEqualTo("UNSUPPORTED_OPERATION");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET | /tasks/none | '' | 404 | NOT_FOUND | TASK_NOT_FOUND",
                "POST | /tasks/none:cancel | '' | 404 | NOT_FOUND | TASK_NOT_FOUND",
                "POST | /message:send | {} | 400 | INVALID_ARGUMENT | ''",
                "POST | /message:send | { | 400 | INVALID_ARGUMENT | ''",
                "GET | /tasks?pageSize=no | '' | 400 | INVALID_ARGUMENT | ''",
                "GET | /extendedAgentCard | '' | 400 | FAILED_PRECONDITION | UNSUPPORTED_OPERATION",
                "POST | /tasks/t/pushNotificationConfigs | {} | 400 | FAILED_PRECONDITION | PUSH_NOTIFICATION_NOT_SUPPORTED",
                "GET | /tasks/t/pushNotificationConfigs/c | '' | 400 | FAILED_PRECONDITION | PUSH_NOTIFICATION_NOT_SUPPORTED",
                "DELETE | /tasks/t/pushNotificationConfigs/c | '' | 400 | FAILED_PRECONDITION | PUSH_NOTIFICATION_NOT_SUPPORTED",
            })
    void an_error_is_a_status_with_its_reason(
            String method, String path, String body, int status, String name, String reason) throws Exception {
        var refused = ask(method, path, body);

        JsonNode error = json(refused.body()).path("error");
        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(refused.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(error.path("code").asInt()).isEqualTo(status);
        assertThat(error.path("status").asText()).isEqualTo(name);
        assertThat(error.at("/details/0/reason").asText("")).isEqualTo(reason);
    }

    @Test
    void another_version_and_another_type_are_refused() throws Exception {
        var older = agent.exchange(HttpRequest.newBuilder(agent.url("/message:send"))
                .POST(BodyPublishers.ofString(message10("m1", "hi").toString()))
                .header("A2A-Version", "0.3"));
        var text = agent.exchange(HttpRequest.newBuilder(agent.url("/message:send"))
                .POST(BodyPublishers.ofString(message10("m1", "hi").toString()))
                .header("Content-Type", "text/plain"));

        assertThat(older.statusCode()).isEqualTo(400);
        assertThat(json(older.body()).at("/error/details/0/reason").asText()).isEqualTo("VERSION_NOT_SUPPORTED");
        assertThat(text.statusCode()).isEqualTo(400);
        assertThat(agent.executor.runs).hasValue(0);
    }
}
