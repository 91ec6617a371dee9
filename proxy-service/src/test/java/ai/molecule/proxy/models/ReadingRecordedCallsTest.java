package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.ModelUsage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a folder of cassettes says of the calls in it, in a form in which they can be asked again and read. */
class ReadingRecordedCallsTest {

    @TempDir
    private Path folder;

    @Test
    void each_answer_is_a_call_that_can_be_sent_again() throws IOException {
        keep(
                "fake",
                "/chat/completions",
                "{\"model\":\"fake:m\",\"created\":1763892000,\"messages\":[{\"role\":\"user\","
                        + "\"content\":\"id 0d9f7a52-6c1b-4f7a-9a70-111111111111 at 127.0.0.1:8123 in /work/a/b\"}]}",
                """
                {"choices":[{"message":{"content":"yes","tool_calls":[{"function":{"name":"look","arguments":"{}"}}]}}],
                 "usage":{"prompt_tokens":7,"completion_tokens":5}}""",
                "{}");
        keep("fake", "/embeddings", "{\"model\":\"m\"}", "{}");

        var calls = RecordedCalls.in(folder);

        assertThat(calls).hasSize(2).allMatch(call -> call.operation() == ModelOperation.CHAT);
        assertThat(calls.getFirst().model()).isEqualTo("fake:m");
        var sent = Json.MAPPER.readTree(calls.getFirst().request());
        assertThat(sent.at("/created").isNumber()).isTrue();
        assertThat(sent.at("/messages/0/content").asText())
                .isEqualTo("id call_00000001 at 127.0.0.1:10001 in /work/recorded/1");
        assertThat(calls.getFirst().answer())
                .isEqualTo(new SpokenAnswers.Spoken(200, "yes", List.of("look {}"), ModelUsage.of(7, 5)));
    }

    @Test
    void a_stream_of_chat_completions() {
        assertThat(spoken(ModelProtocol.OPENAI, """
                data: {"choices":[{"delta":{"content":"Let me "}}]}

                data: {"choices":[{"delta":{"content":"look.","tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{\\"at"}}]}}]}

                data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\":1}"}}]}}]}

                data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}

                data: [DONE]

                """))
                .isEqualTo(
                        new SpokenAnswers.Spoken(200, "Let me look.", List.of("look {\"at\":1}"), ModelUsage.of(7, 5)));
    }

    @Test
    void a_stream_of_responses() {
        assertThat(spoken(ModelProtocol.OPENAI, """
                data: {"type":"response.output_text.delta","delta":"Hi"}

                data: {"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"Hi"}]}}

                data: {"type":"response.output_item.done","item":{"type":"function_call","name":"look","arguments":"{}"}}

                data: {"type":"response.completed","response":{"output":[],"usage":{"input_tokens":7,"output_tokens":5}}}

                """))
                .isEqualTo(new SpokenAnswers.Spoken(200, "Hi", List.of("look {}"), ModelUsage.of(7, 5)));
    }

    @Test
    void a_stream_of_messages() {
        assertThat(spoken(ModelProtocol.ANTHROPIC, """
                data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":7,"output_tokens":1}}}

                data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

                data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"look","input":{}}}

                data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"at\\":1}"}}

                data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}

                """))
                .isEqualTo(new SpokenAnswers.Spoken(200, "Hi", List.of("look {\"at\":1}"), ModelUsage.of(7, 5)));
    }

    @Test
    void answers_that_come_whole() {
        assertThat(SpokenAnswers.of(ModelProtocol.ANTHROPIC, 200, "application/json", """
                {"type":"message","content":[{"type":"text","text":"Hi"},{"type":"tool_use","name":"look","input":{"at":1}}],
                 "usage":{"input_tokens":7,"output_tokens":5}}"""))
                .isEqualTo(new SpokenAnswers.Spoken(200, "Hi", List.of("look {\"at\":1}"), ModelUsage.of(7, 5)));
        assertThat(SpokenAnswers.of(ModelProtocol.GOOGLE, 200, "application/json", """
                {"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"no","thought":true},{"text":"Hi"},{"functionCall":{"name":"look","args":{}}}]}}],
                 "usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":5}}"""))
                .isEqualTo(new SpokenAnswers.Spoken(200, "Hi", List.of("look {}"), ModelUsage.of(7, 5)));
        assertThat(SpokenAnswers.of(
                                ModelProtocol.OPENAI,
                                404,
                                "application/json",
                                "{\"error\":{\"message\":\"no such model\"}}")
                        .text())
                .isEqualTo("no such model");
        assertThat(SpokenAnswers.of(ModelProtocol.OPENAI, 502, "text/plain", "oh")
                        .text())
                .isEqualTo("oh");
    }

    @Test
    void what_is_no_cassette_is_named() throws IOException {
        Files.writeString(folder.resolve("notes.txt"), "hello");

        assertThatThrownBy(() -> RecordedCalls.in(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cassette notes.txt cannot be read");
    }

    private static SpokenAnswers.Spoken spoken(ModelProtocol protocol, String events) {
        return SpokenAnswers.of(protocol, 200, "text/event-stream; charset=utf-8", events);
    }

    private void keep(String provider, String operation, String request, String... answers) throws IOException {
        var asked = CanonicalRequest.of(request.getBytes(StandardCharsets.UTF_8));
        var cassette = new Cassette(
                provider,
                operation,
                asked.key(provider, operation),
                asked.text(),
                List.of(answers).stream()
                        .map(answer ->
                                new Cassette.Answer(200, "application/json", List.of(new Cassette.Piece(0, answer))))
                        .toList());
        Files.writeString(folder.resolve(cassette.fileName()), cassette.write());
    }
}
