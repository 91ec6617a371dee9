package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.published;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An agent that asks, and the messages that answer it. */
class ContinuingTasksTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void a_task_that_asks_is_answered_by_the_next_message_and_keeps_what_was_said() throws Exception {
        var asked = send(published("m1", "question"));

        var task = send(in(asked, published("m2", "the red one")));

        assertThat(asked.path("status").path("state").asText()).isEqualTo("input-required");
        assertThat(asked.path("status").findValue("text").asText()).isEqualTo("which one?");
        assertThat(task.path("id")).isEqualTo(asked.path("id"));
        assertThat(task.path("contextId")).isEqualTo(asked.path("contextId"));
        assertThat(task.path("status").path("state").asText()).isEqualTo("completed");
        assertThat(task.path("artifacts").findValue("text").asText()).isEqualTo("done: the red one");
        assertThat(said(task)).containsExactly("user: question", "agent: which one?", "user: the red one");
        assertThat(said(get(task, 2))).containsExactly("agent: which one?", "user: the red one");
    }

    @Test
    void a_task_may_ask_again_and_every_question_is_a_message_of_its_own() throws Exception {
        var first = send(published("m1", "question"));

        var second = send(in(first, published("m2", "question")));

        assertThat(second.path("status").path("state").asText()).isEqualTo("input-required");
        assertThat(second.path("status").path("message").path("messageId"))
                .isNotEqualTo(first.path("status").path("message").path("messageId"));
    }

    @Test
    void two_tasks_are_answered_by_the_same_words_under_one_id_and_each_once() throws Exception {
        var one = send(published("m1", "question"));
        var other = send(published("m2", "question"));

        var first = send(in(one, published("yes", "yes")));
        var second = send(in(other, published("yes", "yes")));

        assertThat(first.path("id")).isEqualTo(one.path("id"));
        assertThat(second.path("id")).isEqualTo(other.path("id"));
        assertThat(second.path("status").path("state").asText()).isEqualTo("completed");
        assertThat(send(in(one, published("yes", "yes")))).isEqualTo(first);
        assertThat(send(in(other, published("yes", "yes")))).isEqualTo(second);
        assertThat(agent.executor.runs).hasValue(4);
    }

    @Test
    void the_platforms_own_clients_read_the_question_as_a_message() throws Exception {
        var question = send(message("m1", "question"));

        assertThat(question.path("kind").asText()).isEqualTo("message");
        assertThat(question.findValue("text").asText()).isEqualTo("which one?");
        var params = message("m2", "the red one");
        ((ObjectNode) params.path("message")).set("taskId", question.path("taskId"));
        assertThat(send(params).findValue("text").asText()).isEqualTo("done: the red one");
    }

    @Test
    void a_stream_ends_with_the_question_and_the_next_one_with_the_answer() throws Exception {
        JsonNode asked;
        try (var stream = agent.stream("message/stream", published("m1", "question"))) {
            asked = stream.next();
            JsonNode last = stream.rest().getLast();
            assertThat(last.path("status").path("state").asText()).isEqualTo("input-required");
            assertThat(last.path("final").asBoolean()).isTrue();
        }
        try (var again =
                agent.stream("tasks/resubscribe", params("id", asked.path("id").asText()))) {
            assertThat(again.rest()).hasSize(2);
        }

        try (var stream = agent.stream("message/stream", in(asked, published("m2", "the red one")))) {
            assertThat(stream.next().path("status").path("state").asText()).isEqualTo("working");
            List<JsonNode> events = stream.rest();
            assertThat(EventReader.text(events)).isEqualTo("done: the red one");
            assertThat(events.getFirst().path("append").asBoolean()).isFalse();
            assertThat(events.getLast().path("status").path("state").asText()).isEqualTo("completed");
        }
    }

    @Test
    void the_same_answer_twice_is_one_answer() throws Exception {
        var asked = send(published("m1", "question"));
        var answer = in(asked, published("m2", "the red one"));

        assertThat(send(answer)).isEqualTo(send(answer));

        assertThat(agent.executor.runs).hasValue(2);
    }

    @Test
    void a_task_that_asks_can_be_canceled_and_takes_no_answer_then() throws Exception {
        var asked = send(published("m1", "question"));

        var canceled = agent.call("tasks/cancel", params("id", asked.path("id").asText()))
                .path("result");

        assertThat(canceled.path("status").path("state").asText()).isEqualTo("canceled");
        assertThat(said(canceled)).containsExactly("user: question", "agent: which one?");
        assertThat(canceled.path("history").path(1).path("messageId"))
                .isEqualTo(asked.path("status").path("message").path("messageId"))
                .isNotEqualTo(canceled.path("status").path("message").path("messageId"));
        assertThat(code(in(asked, published("m2", "the red one")))).isEqualTo(-32602);
    }

    @Test
    void an_answer_from_another_conversation_is_refused_and_changes_nothing() throws Exception {
        var asked = send(published("m1", "question"));
        var stranger = in(asked, published("m2", "the red one"));
        ((ObjectNode) stranger.path("message")).put("contextId", "another");

        assertThat(code(stranger)).isEqualTo(-32602);

        assertThat(get(asked, 9)).isEqualTo(asked);
    }

    private JsonNode send(ObjectNode params) throws Exception {
        return agent.call("message/send", params).path("result");
    }

    private int code(ObjectNode params) throws Exception {
        return agent.call("message/send", params).path("error").path("code").asInt();
    }

    private JsonNode get(JsonNode task, int historyLength) throws Exception {
        var params = params("id", task.path("id").asText()).put("historyLength", historyLength);
        return agent.call("tasks/get", params).path("result");
    }

    private static ObjectNode in(JsonNode task, ObjectNode params) {
        ((ObjectNode) params.path("message")).set("taskId", task.path("id"));
        return params;
    }

    private static List<String> said(JsonNode task) {
        List<String> said = new ArrayList<>();
        task.path("history")
                .forEach(message -> said.add(message.path("role").asText() + ": "
                        + message.path("parts").path(0).path("text").asText()));
        return said;
    }
}
