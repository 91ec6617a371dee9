package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.nonBlocking;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.published;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code message/send} answers, and to whom. */
class SendingMessagesTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void the_platforms_own_clients_get_a_message() throws Exception {
        var response = agent.call("message/send", message("m1", "hi"));

        assertThat(response.path("jsonrpc").asText()).isEqualTo("2.0");
        assertThat(response.path("id").asInt()).isEqualTo(7);
        var result = response.path("result");
        assertThat(result.path("kind").asText()).isEqualTo("message");
        assertThat(result.path("role").asText()).isEqualTo("agent");
        assertThat(result.path("parts").toString()).isEqualTo("[{\"kind\":\"text\",\"text\":\"done: hi\"}]");
        assertThat(result.path("taskId").asText()).hasSize(36);
        assertThat(result.path("contextId").asText()).hasSize(36);
    }

    @Test
    void characters_are_answered_as_themselves() throws Exception {
        var body = agent.exchange(agent.post(request("message/send", message("m1", "hé — 😀"))))
                .body();

        assertThat(body).contains("\"text\":\"done: hé — 😀\"");
    }

    @Test
    void a_client_that_marks_its_message_gets_the_task() throws Exception {
        var task = agent.call("message/send", published("m1", "hi")).path("result");

        assertThat(task.path("kind").asText()).isEqualTo("task");
        assertThat(task.path("status").path("state").asText()).isEqualTo("completed");
        assertThat(task.path("artifacts")
                        .path(0)
                        .path("parts")
                        .path(0)
                        .path("text")
                        .asText())
                .isEqualTo("done: hi");
    }

    @Test
    void a_client_that_sends_a_configuration_gets_the_task() throws Exception {
        var params = message("m1", "hi");
        params.putObject("configuration");

        assertThat(agent.call("message/send", params)
                        .path("result")
                        .path("kind")
                        .asText())
                .isEqualTo("task");
    }

    @Test
    void a_client_that_names_the_version_gets_the_task() throws Exception {
        var request = agent.post(request("message/send", message("m1", "hi"))).header("A2A-Version", "0.3");

        assertThat(json(agent.exchange(request).body())
                        .path("result")
                        .path("kind")
                        .asText())
                .isEqualTo("task");
    }

    @Test
    void a_task_shows_the_message_that_began_it_completely_and_as_much_of_it_as_was_asked() throws Exception {
        agent.call("message/send", message("m1", "hi"));

        var task = agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                .path("result");
        var without = agent.call(
                        "tasks/get", params("id", task.path("id").asText()).put("historyLength", 0))
                .path("result");

        var begun = task.path("history").path(0);
        assertThat(begun.path("kind").asText()).isEqualTo("message");
        assertThat(begun.path("messageId").asText()).isEqualTo("m1");
        assertThat(begun.path("taskId")).isEqualTo(task.path("id"));
        assertThat(begun.path("contextId")).isEqualTo(task.path("contextId"));
        assertThat(without.path("history").isEmpty()).isTrue();
    }

    @Test
    void a_conversation_keeps_its_context() throws Exception {
        var params = published("m1", "hi");
        ((ObjectNode) params.path("message")).put("contextId", "talk-1");

        assertThat(agent.call("message/send", params)
                        .path("result")
                        .path("contextId")
                        .asText())
                .isEqualTo("talk-1");
    }

    @Test
    void whoever_does_not_want_to_wait_gets_the_task_at_once() throws Exception {
        var task = agent.call("message/send", nonBlocking("m1", "wait")).path("result");

        assertThat(task.path("status").path("state").asText()).isIn("submitted", "working");
        agent.executor.release.countDown();
        await().untilAsserted(() -> {
            var later = agent.call("tasks/get", params("id", task.path("id").asText()))
                    .path("result");
            assertThat(later.path("status").path("state").asText()).isEqualTo("completed");
            assertThat(later.path("artifacts")
                            .path(0)
                            .path("parts")
                            .path(0)
                            .path("text")
                            .asText())
                    .isEqualTo("one two");
        });
    }

    @Test
    void tasks_run_beside_each_other() throws Exception {
        var slow = agent.begin(agent.post(request("message/send", message("m1", "wait"))));
        agent.executor.waiting.await();

        assertThat(agent.call("message/send", message("m2", "quick"))
                        .findValue("text")
                        .asText())
                .isEqualTo("done: quick");

        assertThat(slow).isNotDone();
        agent.executor.release.countDown();
        assertThat(slow.join().body()).contains("one two");
    }

    @Test
    void text_parts_are_joined_whatever_their_senders_call_them() throws Exception {
        var params = json("""
                {"message":{"role":"user","parts":[{"type":"text","text":"a"},{"root":{"text":"b"}},
                {"kind":"file","file":{"uri":"x"}},{"kind":"text","text":"c"}]}}""");

        assertThat(agent.call("message/send", (ObjectNode) params)
                        .findValue("text")
                        .asText())
                .isEqualTo("done: a b c");
    }

    @Test
    void a_message_without_words_says_so() throws Exception {
        assertThat(agent.call("message/send", message("m1", " "))
                        .findValue("text")
                        .asText())
                .isEqualTo("Error: message contained no text content.");
    }

    @Test
    void an_agent_that_says_nothing_still_gives_a_text() throws Exception {
        assertThat(agent.call("message/send", message("m1", "silence"))
                        .findValue("text")
                        .asText())
                .isEqualTo("(no response generated)");
    }

    @Test
    void a_task_takes_no_second_message() throws Exception {
        var task = agent.call("message/send", published("m1", "hi")).path("result");
        var params = published("m2", "more");
        ((ObjectNode) params.path("message")).set("taskId", task.path("id"));

        assertThat(agent.call("message/send", params).path("error").path("code").asInt())
                .isEqualTo(-32602);
    }

    @Test
    void a_message_to_an_unknown_task_is_refused() throws Exception {
        var params = published("m2", "more");
        ((ObjectNode) params.path("message")).put("taskId", "nowhere");

        assertThat(agent.call("message/send", params).path("error").path("code").asInt())
                .isEqualTo(-32001);
    }

    @Test
    void files_come_with_the_message_and_go_with_the_answer_behind_its_words() throws Exception {
        Files.writeString(agent.folder.resolve("report.txt"), "seven");
        var params = (ObjectNode) json("""
                {"message":{"role":"user","parts":[{"kind":"text","text":"see /workspace/report.txt"},
                {"kind":"file","file":{"uri":"workspace:/workspace/report.txt","name":"r","mimeType":"text/plain"}}]}}""");

        var message = agent.call("message/send", params).path("result");
        ((ObjectNode) params.path("message")).put("kind", "message").put("messageId", "m2");
        var task = agent.call("message/send", params).path("result");
        ((ObjectNode) params.path("message")).put("messageId", "m3");
        var events =
                agent.exchange(agent.post(request("message/stream", params))).body();

        assertThat(message.path("parts").path(0).path("text").asText())
                .startsWith("done: see /workspace/report.txt")
                .contains("- r (text/plain) at ");
        assertFile(message.path("parts").path(1));
        assertFile(task.path("artifacts").path(0).path("parts").path(1));
        assertThat(events).contains("\"parts\":[{\"kind\":\"file\"").contains("\"append\":true,\"lastChunk\":true");
    }

    private static void assertFile(JsonNode part) {
        assertThat(part.path("kind").asText()).isEqualTo("file");
        assertThat(part.path("file").path("name").asText()).isEqualTo("report.txt");
        assertThat(part.path("file").path("uri").asText()).startsWith("workspace:/workspace/.molecule/chat-uploads/");
    }
}
