package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.published;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A message's id is its key: nothing is done twice, and what became of it can be looked up. */
class SendingTheSameMessageTwiceTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void a_repeated_message_gets_the_first_answer_again() throws Exception {
        var first = agent.call("message/send", message("m1", "hi"));

        var second = agent.call("message/send", message("m1", "hi"));

        assertThat(second).isEqualTo(first);
        assertThat(agent.executor.runs).hasValue(1);
    }

    @Test
    void copies_that_arrive_at_the_same_time_run_once_and_are_all_answered() throws Exception {
        var copies = IntStream.range(0, 20)
                .mapToObj(i -> agent.begin(agent.post(request("message/send", published("m1", "wait")))))
                .toList();
        agent.executor.waiting.await();
        agent.executor.release.countDown();

        var answers = copies.stream()
                .map(copy -> json(copy.join().body()).path("result"))
                .toList();
        assertThat(answers).allMatch(answer -> answer.equals(answers.getFirst()));
        assertThat(agent.executor.runs).hasValue(1);
    }

    @Test
    void whoever_repeats_a_message_may_add_to_its_metadata() throws Exception {
        agent.call("message/send", message("m1", "hi"));
        var again = message("m1", "hi");
        ((ObjectNode) again.path("message")).putObject("metadata").put("attempt", 2);

        assertThat(agent.call("message/send", again).findValue("text").asText()).isEqualTo("done: hi");

        assertThat(agent.executor.runs).hasValue(1);
    }

    @Test
    void other_words_under_a_used_id_are_another_message_and_the_newest_is_found_by_it() throws Exception {
        agent.call("message/send", published("m1", "hi"));

        var other = agent.call("message/send", published("m1", "bye")).path("result");

        assertThat(other.findValue("text").asText()).isEqualTo("done: bye");
        assertThat(agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                        .path("result"))
                .isEqualTo(other);
        assertThat(agent.call("message/send", published("m1", "hi"))
                        .findValue("text")
                        .asText())
                .isEqualTo("done: hi");
        assertThat(agent.executor.runs).hasValue(2);
    }

    @Test
    void a_repeated_stream_follows_the_same_task() throws Exception {
        agent.call("message/send", message("m1", "hi"));

        try (var stream = agent.stream("message/stream", message("m1", "hi"))) {
            assertThat(stream.next().path("status").path("state").asText()).isEqualTo("completed");
            assertThat(stream.next().path("final").asBoolean()).isTrue();
            assertThat(stream.next().isMissingNode()).isTrue();
        }
        assertThat(agent.executor.runs).hasValue(1);
    }

    @Test
    void the_task_of_a_message_can_be_looked_up() throws Exception {
        var sent = agent.call("message/send", published("m1", "hi")).path("result");

        assertThat(agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                        .path("result"))
                .isEqualTo(sent);
    }

    @Test
    void a_message_never_seen_has_no_task() throws Exception {
        assertThat(agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32001);
    }
}
