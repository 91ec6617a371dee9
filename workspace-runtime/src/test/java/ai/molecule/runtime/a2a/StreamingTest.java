package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.nonBlocking;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StreamingTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void a_stream_is_the_task_then_what_happens_to_it_until_the_end() throws Exception {
        agent.executor.release.countDown();

        try (var stream = agent.stream("message/stream", message("m1", "wait"))) {
            assertThat(stream.contentType).isEqualTo("text/event-stream");
            var events = stream.rest();

            assertThat(events)
                    .extracting(event -> event.path("kind").asText())
                    .containsExactly("task", "status-update", "artifact-update", "artifact-update", "status-update");
            assertThat(events.get(0).path("status").path("state").asText()).isEqualTo("submitted");
            assertThat(events.get(1).path("status").path("state").asText()).isEqualTo("working");
            assertThat(events.get(1).path("final").asBoolean()).isFalse();
            assertThat(events.get(2).path("append").asBoolean()).isFalse();
            assertThat(events.get(3).path("append").asBoolean()).isTrue();
            assertThat(events.get(3).path("artifact").path("artifactId"))
                    .isEqualTo(events.get(2).path("artifact").path("artifactId"));
            assertThat(EventReader.text(events)).isEqualTo("one two");
            assertThat(events.get(4).path("status").path("state").asText()).isEqualTo("completed");
            assertThat(events.get(4).path("final").asBoolean()).isTrue();
        }
    }

    @Test
    void pieces_are_seen_while_the_agent_still_works() throws Exception {
        try (var stream = agent.stream("message/stream", message("m1", "wait"))) {
            stream.next();
            stream.next();
            assertThat(stream.next().findValue("text").asText()).isEqualTo("one ");

            agent.executor.release.countDown();

            assertThat(stream.next().findValue("text").asText()).isEqualTo("two");
        }
    }

    @Test
    void the_older_name_streams_too() throws Exception {
        try (var stream = agent.stream("message/sendSubscribe", message("m1", "hi"))) {
            assertThat(EventReader.text(stream.rest())).isEqualTo("done: hi");
        }
    }

    @Test
    void a_failure_ends_the_stream_with_the_reason() throws Exception {
        try (var stream = agent.stream("message/stream", message("m1", "fail"))) {
            JsonNode last = stream.rest().getLast();

            assertThat(last.path("final").asBoolean()).isTrue();
            assertThat(last.path("status").path("state").asText()).isEqualTo("failed");
            assertThat(last.findValue("text").asText()).isEqualTo("Agent error: no such thing");
        }
    }

    @Test
    void a_subscriber_who_comes_back_gets_the_task_as_it_is_and_then_live_events() throws Exception {
        String id = agent.call("message/send", nonBlocking("m1", "wait"))
                .path("result")
                .path("id")
                .asText();
        agent.executor.waiting.await();

        try (var stream = agent.stream("tasks/resubscribe", params("id", id))) {
            JsonNode snapshot = stream.next();
            agent.executor.release.countDown();
            var events = stream.rest();

            assertThat(snapshot.path("status").path("state").asText()).isEqualTo("working");
            assertThat(snapshot.path("artifacts").findValue("text").asText()).isEqualTo("one ");
            assertThat(EventReader.text(events)).isEqualTo("two");
            assertThat(events.getLast().path("final").asBoolean()).isTrue();
        }
    }

    @Test
    void a_finished_task_can_be_subscribed_to_and_ends_at_once() throws Exception {
        String id = agent.call("message/send", message("m1", "hi"))
                .path("result")
                .path("taskId")
                .asText();

        try (var stream = agent.stream("tasks/resubscribe", params("id", id))) {
            assertThat(stream.rest())
                    .extracting(event -> event.path("kind").asText())
                    .containsExactly("task", "status-update");
        }
    }

    @Test
    void an_unknown_task_cannot_be_subscribed_to() throws Exception {
        assertThat(agent.call("tasks/resubscribe", params("id", "nowhere"))
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32001);
    }

    @Test
    void a_reader_who_leaves_does_not_end_the_task() throws Exception {
        var stream = agent.stream("message/stream", message("m1", "wait"));
        agent.executor.waiting.await();
        stream.close();
        agent.executor.release.countDown();

        await().untilAsserted(() -> assertThat(agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                        .path("result")
                        .path("status")
                        .path("state")
                        .asText())
                .isEqualTo("completed"));
    }

    @Test
    void a_reader_who_does_not_read_delays_neither_the_task_nor_others_and_loses_nothing() throws Exception {
        try (var stuck = new Socket("127.0.0.1", agent.port)) {
            // Given: somebody who asks for more than a megabyte and reads none of it
            stuck.setReceiveBufferSize(64 * 1024);
            byte[] body = request("message/stream", message("m1", "flood")).getBytes(StandardCharsets.UTF_8);
            stuck.getOutputStream()
                    .write(("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + body.length
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            stuck.getOutputStream().write(body);

            // When
            await().untilAsserted(() -> assertThat(agent.call("molecule/tasks/byMessage", params("messageId", "m1"))
                            .path("result")
                            .path("status")
                            .path("state")
                            .asText())
                    .isEqualTo("completed"));

            // Then
            assertThat(agent.call("message/send", message("m2", "hi"))
                            .findValue("text")
                            .asText())
                    .isEqualTo("done: hi");
            String everything = new String(stuck.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(everything.split("artifact-update", -1)).hasSize(ScriptedExecutor.FLOOD_CHUNKS + 1);
            assertThat(everything).contains("\"final\":true");
        }
    }
}
