package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.models.ModelProtocol;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event whose text is counted from its bytes counts as much as one that is read as a tree; what else there is to know is not overlooked. */
class SkimmingEventsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello there\"},\"finish_reason\":null}]}",
                "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"at\\\":1}\"}}]}},{\"delta\":{\"content\":\"ab\"}}]}",
                "{\"choices\":[{\"delta\":{\"content\":null}}],\"usage\":null}",
                "{\"choices\":[{\"delta\":{\"content\":\"\\u00e9\\n\\\"x\\\\ \ud83d\ude00 \u00e9\u20ac\"}}]}",
                "{ \"choices\" : [ { \"delta\" : { \"content\" : \"spaced\" } } ] }",
                "{\"choices\":[]}",
                "{\"type\":\"response.output_text.delta\",\"delta\":\"four\",\"logprobs\":[]}",
                "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}",
                "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"signature_delta\",\"signature\":\"long long long\"}}",
                "{\"type\":\"ping\"}",
                "{}"
            })
    void the_same_is_counted_without_a_tree(String data) {
        byte[] event = ("event: x\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
        for (var protocol : new ModelProtocol[] {ModelProtocol.OPENAI, ModelProtocol.ANTHROPIC}) {
            if (data.contains(protocol == ModelProtocol.OPENAI ? "content_block" : "choices")) {
                continue; // the other's
            }
            var skimmed = new UsageReader(protocol);
            int tokens = skimmed.tokensIn(event);
            assertThat(tokens).as(data).isNotEqualTo(WrittenText.UNKNOWN);
            skimmed.skimmed(tokens);
            var read = new UsageReader(protocol);
            read.event(treeOf(event));

            assertThat(skimmed.written()).as(data).isEqualTo(read.written());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n",
                "data: {\"x\":{\"usage\":{}}}\n\n",
                "data: {\"type\":\"message_start\",\"message\":{\"usage\":{}}}\n\n",
                "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
                "data: {\"error\":{\"message\":\"oh\"}}\n\n",
                "data: {\"a\":1,\ndata: \"b\":2}\n\n",
                "data: {\"a\":\"b\n\n",
                "data: {\"a\":1\n\n",
                "data: {\"a\" 1}\n\n",
                "data: {\"a\":1} x\n\n",
                "data: {\"a\":\"\\\\\n\n",
                "data: [DONE]\n\n",
                "data: {\"a\":\"\\\n\"}\n\n",
                "data: {}\n",
                "data: {}\n\ndata: {",
                "data: {}\n\ndata: {}\n\n: cut off",
                "data: {}\n\r",
                "data:"
            })
    void what_could_say_more_or_is_none_is_left_to_the_tree(String event) {
        var reader = new UsageReader(ModelProtocol.OPENAI);

        assertThat(reader.tokensIn(event.getBytes(StandardCharsets.UTF_8))).isEqualTo(WrittenText.UNKNOWN);
        assertThat(reader.written()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 300, 30_000})
    void what_is_nested_without_end_is_left_to_the_tree(int depth) {
        String event = "data: {\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}\n\n";

        assertThat(new UsageReader(ModelProtocol.OPENAI).tokensIn(event.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(depth < 32 ? 0 : WrittenText.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void several_events_that_came_together_are_counted_together(String lineEnd) {
        String events =
                ": still there||data: {'choices':[{'delta':{'content':'abc'}}]}||event: x|data: {'delta':'abcdef','usage':null}||"
                        .replace("|", lineEnd)
                        .replace('\'', '"');

        assertThat(new UsageReader(ModelProtocol.OPENAI).tokensIn(events.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(3);
    }

    private static JsonNode treeOf(byte[] event) {
        var data = EventData.of(Buffer.buffer(event));
        return Objects.requireNonNull(data);
    }
}
