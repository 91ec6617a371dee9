package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CancelingTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void canceling_interrupts_the_work_and_keeps_what_was_said() throws Exception {
        JsonNode task = begun("wait");

        JsonNode canceled = agent.call(
                        "tasks/cancel", params("id", task.path("id").asText()))
                .path("result");

        assertThat(canceled.path("status").path("state").asText()).isEqualTo("canceled");
        assertThat(canceled.path("artifacts").findValue("text").asText()).isEqualTo("one ");
        await().untilAtomic(agent.executor.interrupted, n -> assertThat(n).isEqualTo(1));
        assertThat(agent.call("tasks/get", params("id", task.path("id").asText()))
                        .path("result"))
                .isEqualTo(canceled);
    }

    @Test
    void whoever_waits_for_a_canceled_task_is_answered() throws Exception {
        var waiting = agent.begin(agent.post(request("message/send", message("m1", "wait"))));
        agent.executor.waiting.await();
        String id = agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                .path("result")
                .path("id")
                .asText();

        agent.call("tasks/cancel", params("id", id));

        assertThat(json(waiting.join().body()).findValue("text").asText())
                .isEqualTo("Agent error: the task was canceled");
    }

    @Test
    void a_stream_of_a_canceled_task_ends() throws Exception {
        try (var stream = agent.stream("message/stream", message("m1", "wait"))) {
            String id = stream.next().path("id").asText();
            agent.executor.waiting.await();

            agent.call("tasks/cancel", params("id", id));

            JsonNode last = stream.rest().getLast();
            assertThat(last.path("status").path("state").asText()).isEqualTo("canceled");
            assertThat(last.path("final").asBoolean()).isTrue();
        }
    }

    @Test
    void a_task_that_is_over_cannot_be_canceled() throws Exception {
        String id = agent.call("message/send", message("m1", "hi"))
                .path("result")
                .path("taskId")
                .asText();

        assertThat(agent.call("tasks/cancel", params("id", id))
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32002);
    }

    @Test
    void an_unknown_task_cannot_be_canceled() throws Exception {
        assertThat(agent.call("tasks/cancel", params("id", "nowhere"))
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32001);
    }

    @Test
    void an_agent_that_stops_answers_those_who_wait_and_takes_nothing_more() throws Exception {
        var waiting = agent.begin(agent.post(request("message/send", message("m1", "wait"))));
        agent.executor.waiting.await();

        agent.tasks.stop();

        assertThat(json(waiting.join().body()).findValue("text").asText())
                .isEqualTo("Agent error: the agent is stopping");
        var refused = agent.exchange(agent.post(request("message/send", message("m2", "hi"))));
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).contains("1");
    }

    private JsonNode begun(String text) throws Exception {
        JsonNode task = agent.call("message/send", AgentUnderTest.nonBlocking("m1", text))
                .path("result");
        agent.executor.waiting.await();
        return task;
    }
}
