package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.published;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static ai.molecule.runtime.a2a.SpeakingVersion10Test.message10;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Data and links beside an answer's words, and an answer that is a message and no task. */
class AnsweringWithMoreThanWordsTest {

    private static final String PARTS =
            "{\"mediaType\":\"application/json\",\"data\":{\"n\":1}},{\"url\":\"https://x.example/plan.pdf\","
                    + "\"filename\":\"plan.pdf\",\"mediaType\":\"application/pdf\"}";
    private static final String PARTS_03 = "{\"kind\":\"data\",\"data\":{\"n\":1}},{\"kind\":\"file\",\"file\":"
            + "{\"uri\":\"https://x.example/plan.pdf\",\"name\":\"plan.pdf\",\"mimeType\":\"application/pdf\"}}";

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void data_and_links_stand_behind_the_words_in_either_version() throws Exception {
        assertThat(sent("m1", "data").at("/task/artifacts/0/parts").toString())
                .isEqualTo("[{\"text\":\"see \"}," + PARTS + "]");
        assertThat(sent("m2", "only data").at("/task/artifacts/0/parts").toString())
                .isEqualTo("[" + PARTS + "]");
        assertThat(agent.call("message/send", published("m3", "data"))
                        .at("/result/artifacts/0/parts")
                        .toString())
                .isEqualTo("[{\"kind\":\"text\",\"text\":\"see \"}," + PARTS_03 + "]");
        assertThat(agent.call("message/send", message("m4", "only data"))
                        .at("/result/parts/0/text")
                        .asText())
                .as("the platform's own clients read the first part without looking")
                .isEqualTo("(no response generated)");
    }

    @Test
    void on_a_stream_they_begin_the_artifact_where_there_are_no_words() throws Exception {
        for (var text : List.of("data", "only data")) {
            try (var stream = agent.stream("message/stream", published(text, text))) {
                var last = stream.rest().stream()
                        .filter(event -> event.path("kind").asText().equals("artifact-update"))
                        .toList()
                        .getLast();
                assertThat(last.at("/artifact/parts").toString()).isEqualTo("[" + PARTS_03 + "]");
                assertThat(last.path("append").asBoolean()).isEqualTo(text.equals("data"));
                assertThat(last.path("lastChunk").asBoolean()).isTrue();
            }
        }
    }

    @Test
    void an_answer_may_be_a_message_of_no_task() throws Exception {
        JsonNode message = sent("m1", "direct").path("message");

        ((ObjectNode) message).remove(List.of("messageId", "contextId"));
        assertThat(message.toString()).isEqualTo("{\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"at once\"}]}");
        assertThat(sent("m1", "direct").at("/message/parts/0/text").asText()).isEqualTo("at once");
        assertThat(agent.executor.runs).as("the same message again").hasValue(1);
        assertThat(sent("m2", "direct data").at("/message/parts/1/data/n").asInt())
                .isEqualTo(1);
        var old = agent.call("message/send", published("m3", "direct")).path("result");
        assertThat(old.path("kind").asText() + old.path("taskId").asText()).isEqualTo("message");
        assertThat(rpc("ListTasks", JsonNodeFactory.instance.objectNode())
                        .at("/result/totalSize")
                        .asInt())
                .isZero();
    }

    @Test
    void who_does_not_want_to_wait_and_who_streams_get_the_one_message_too() throws Exception {
        var hurried = message10("m1", "direct");
        hurried.putObject("configuration").put("returnImmediately", true);
        assertThat(rpc("SendMessage", hurried)
                        .at("/result/message/parts/0/text")
                        .asText())
                .isEqualTo("at once");

        var stream = agent.exchange(agent.post(request("SendStreamingMessage", message10("m2", "direct")))
                .header("A2A-Version", "1.0"));
        assertThat(stream.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(stream.body().lines().filter(line -> line.startsWith("data: ")))
                .singleElement()
                .satisfies(event -> assertThat(json(event.substring(6))
                                .at("/result/message/parts/0/text")
                                .asText())
                        .isEqualTo("at once"));
        var rest = agent.exchange(HttpRequest.newBuilder(agent.url("/message:send"))
                .header("Content-Type", "application/json")
                .header("A2A-Version", "1.0")
                .POST(BodyPublishers.ofString(message10("m3", "direct").toString())));
        assertThat(json(rest.body()).at("/message/parts/0/text").asText()).isEqualTo("at once");
    }

    @Test
    void one_that_fails_is_told_as_the_task_it_is() throws Exception {
        assertThat(sent("m1", "direct fail").at("/task/status/state").asText()).isEqualTo("TASK_STATE_FAILED");
        try (var stream = agent.stream("message/stream", published("m2", "direct fail"))) {
            assertThat(stream.rest())
                    .singleElement()
                    .satisfies(task ->
                            assertThat(task.at("/status/state").asText()).isEqualTo("failed"));
        }
    }

    private JsonNode sent(String id, String text) throws Exception {
        return rpc("SendMessage", message10(id, text)).path("result");
    }

    private JsonNode rpc(String method, ObjectNode params) throws Exception {
        return json(agent.exchange(agent.post(request(method, params)).header("A2A-Version", "1.0"))
                .body());
    }
}
