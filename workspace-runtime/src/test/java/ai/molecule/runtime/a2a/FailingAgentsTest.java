package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.published;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FailingAgentsTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void the_platforms_own_clients_read_the_error_as_a_message_while_the_task_is_failed() throws Exception {
        var answer = agent.call("message/send", message("m1", "fail")).path("result");

        assertThat(answer.path("parts").path(0).path("text").asText()).isEqualTo("Agent error: no such thing");
        var task = agent.call("tasks/get", params("id", answer.path("taskId").asText()))
                .path("result");
        assertThat(task.path("status").path("state").asText()).isEqualTo("failed");
    }

    @Test
    void clients_of_the_published_protocol_get_a_failed_task_that_says_why() throws Exception {
        var status = agent.call("message/send", published("m1", "fail"))
                .path("result")
                .path("status");

        assertThat(status.path("state").asText()).isEqualTo("failed");
        assertThat(status.path("message").path("parts").path(0).path("text").asText())
                .isEqualTo("Agent error: no such thing");
    }

    @Test
    void what_an_exception_says_stays_inside() throws Exception {
        var answer = agent.call("message/send", message("m1", "break"));

        assertThat(answer.findValue("text").asText())
                .isEqualTo("Agent error: internal error (IllegalStateException), see the workspace log");
        assertThat(answer.toString()).doesNotContain("hunter2");
    }

    @Test
    void an_answer_that_outgrows_its_bound_fails_its_task_only() throws Exception {
        var answer = agent.call("message/send", message("m1", "too much"));

        assertThat(answer.findValue("text").asText())
                .isEqualTo("Agent error: the answer is larger than the agent can hold");
        assertThat(agent.call("message/send", message("m2", "hi"))
                        .findValue("text")
                        .asText())
                .isEqualTo("done: hi");
    }

    @Test
    void who_reads_messages_alone_learns_that_the_work_failed_beside_the_words() throws Exception {
        var failed = agent.call("message/send", message("m1", "break")).path("result");
        var done = agent.call("message/send", message("m2", "hi")).path("result");

        assertThat(failed.path("kind").asText()).isEqualTo("message");
        assertThat(failed.at("/metadata/task_state").asText()).isEqualTo("failed");
        assertThat(done.has("metadata")).isFalse();
    }
}
