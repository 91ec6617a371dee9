package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.published;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A task can be asked for over plain HTTP, by both of the paths that clients know. */
class ShowingTasksTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void both_paths_show_what_the_method_answers() throws Exception {
        var begun = agent.call("message/send", published("m1", "hi")).path("result");
        String id = begun.path("id").asText();

        var task = get("/v1/tasks/" + id);

        assertThat(task.statusCode()).isEqualTo(200);
        assertThat(json(task.body()))
                .isEqualTo(agent.call("tasks/get", params("id", id)).path("result"));
        assertThat(get("/tasks/" + id).body()).isEqualTo(task.body());
    }

    @Test
    void as_much_history_comes_as_was_asked() throws Exception {
        var begun = agent.call("message/send", published("m1", "hi")).path("result");

        var task = get("/v1/tasks/" + begun.path("id").asText() + "?historyLength=0");

        assertThat(json(task.body()).path("history").isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/tasks/nowhere,404,task nowhere is not known",
        "/tasks/a%2Fb,404,task a/b is not known",
        "/tasks/%zz,400,bad request",
        "/tasks/,404,not found",
        "/tasks/a/b,404,not found",
        "/v1/tasks/x?historyLength=-1,400,historyLength must be a number from 0",
        "/v1/tasks/x?A2A-Version=1.0,400,'A2A 1.0 is not spoken at this path, ask /tasks/<id>'",
    })
    void a_wrong_request_is_told_why(String path, int status, String error) throws Exception {
        String raw = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        String answer;
        try (var socket = new Socket("127.0.0.1", agent.port)) {
            socket.getOutputStream().write(raw.getBytes(StandardCharsets.US_ASCII));
            answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }

        assertThat(answer).startsWith("HTTP/1.1 " + status + " ").endsWith("{\"error\":\"" + error + "\"}");
    }

    private HttpResponse<String> get(String path) throws Exception {
        return agent.exchange(HttpRequest.newBuilder(agent.url(path)));
    }
}
