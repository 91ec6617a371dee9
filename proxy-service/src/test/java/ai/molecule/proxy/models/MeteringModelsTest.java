package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Row;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A row for each call: what the provider says of its tokens, else an estimate that says that it is one. */
@ExtendWith(VertxExtension.class)
class MeteringModelsTest {

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
    }

    @Test
    void a_chat_completion_costs_what_its_usage_says() {
        door.provider.saysWhole(
                "{\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20,\"prompt_tokens_details\":{\"cached_tokens\":40},\"completion_tokens_details\":{\"reasoning_tokens\":5}}}");

        door.ask(
                DoorUnderTest.CHAT,
                "{\"model\":\"m\"}",
                "X-Molecule-Context",
                "ctx-7",
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

        var row = door.row();
        assertThat(tokens(row)).isEqualTo("60 40 0 20 5");
        assertThat(row.getLong("cost_micros")).isEqualTo(60 * 2 + 40 / 2 + 20 * 10);
        assertThat(row.getBoolean("estimated")).isFalse();
        assertThat(row.getString("outcome")).isEqualTo("ok");
        assertThat(row.getString("operation")).isEqualTo("chat");
        assertThat(row.getString("context")).isEqualTo("ctx-7");
        assertThat(row.getString("trace_id")).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(door.spent()).isEqualTo(340);
    }

    @Test
    void what_openai_puts_into_a_cache_is_told_within_the_input_and_has_a_price_of_its_own() {
        door.provider.saysWhole(
                "{\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20,\"prompt_tokens_details\":{\"cached_tokens\":40,\"cache_write_tokens\":50}}}");

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}");

        assertThat(tokens(door.row())).isEqualTo("10 40 50 20 0");
        assertThat(door.row().getLong("cost_micros")).isEqualTo(10 * 2 + 40 / 2 + 50 * 4 + 20 * 10);
    }

    @Test
    void a_model_without_a_price_has_an_unknown_cost_and_not_none() {
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}");

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:other\"}");

        assertThat(door.row().getLong("cost_micros")).isNull();
    }

    @Test
    void messages_tell_their_usage_in_two_parts() {
        door.provider.saysEvents(
                "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":20,\"cache_creation_input_tokens\":30,\"output_tokens\":1}}}\n\n",
                "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n",
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n");

        door.ask(DoorUnderTest.MESSAGES, DoorUnderTest.STREAMED);

        assertThat(tokens(door.row())).isEqualTo("10 20 30 9 0");
        assertThat(door.row().getLong("cost_micros")).isEqualTo(20 + 10 + 120 + 90);
        assertThat(door.row().getBoolean("estimated")).isFalse();
    }

    @Test
    void what_is_kept_for_an_hour_has_its_own_price_although_the_last_word_does_not_say_it_again() {
        door.provider.saysEvents(
                "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":30,"
                        + "\"cache_creation\":{\"ephemeral_5m_input_tokens\":10,\"ephemeral_1h_input_tokens\":20},\"output_tokens\":1}}}\n\n",
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
                        + "\"usage\":{\"cache_creation_input_tokens\":30,\"output_tokens\":9}}\n\n");

        door.ask(DoorUnderTest.MESSAGES, "{\"model\":\"fake:kept\",\"stream\":true}");

        assertThat(tokens(door.row())).isEqualTo("10 0 30 9 0");
        assertThat(door.row().getLong("cost_micros")).isEqualTo(10 * 2 + 10 * 4 + 20 * 8 + 9 * 10);
    }

    @Test
    void responses_tell_their_usage_at_the_end() {
        door.provider.saysEvents(
                "data: {\"type\":\"response.output_text.delta\",\"delta\":\"hello\"}\n\n",
                "data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":11,\"output_tokens\":4,\"input_tokens_details\":{\"cached_tokens\":1},\"output_tokens_details\":{\"reasoning_tokens\":2}}}}\n\n");

        door.ask("/models/openai/v1/responses", DoorUnderTest.STREAMED);

        assertThat(tokens(door.row())).isEqualTo("10 1 0 4 2");
    }

    @Test
    void googles_thoughts_are_output() {
        String usage =
                "\"usageMetadata\":{\"promptTokenCount\":9,\"cachedContentTokenCount\":4,\"candidatesTokenCount\":3,\"thoughtsTokenCount\":6}";
        door.provider.saysEvents("data: {\"candidates\":[{\"finishReason\":\"STOP\"}]," + usage + "}\r\n\r\n");
        door.ask("/models/google/v1beta/models/m:streamGenerateContent?alt=sse", "{}");
        door.provider.saysWhole("[{\"candidates\":[]},\n{\"candidates\":[{}]," + usage + "}]");
        door.ask("/models/google/v1beta/models/m:streamGenerateContent", "{}");

        assertThat(door.rows(2)).extracting(MeteringModelsTest::tokens).containsExactly("5 4 0 9 6", "5 4 0 9 6");
    }

    @Test
    void a_stream_that_says_nothing_of_its_usage_is_estimated() {
        door.provider.saysEvents(
                "data: {\"choices\":[{\"delta\":{\"content\":\"" + "abc".repeat(100) + "\"}}]}\n\n",
                "data: [DONE]\n\n");

        door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(door.row().getBoolean("estimated")).isTrue();
        assertThat(door.row().getLong("tokens_out")).isEqualTo(100);
        assertThat(door.row().getLong("tokens_in")).isPositive();
    }

    @Test
    void a_usage_of_other_names_tells_nothing() {
        door.provider.saysWhole("{\"text\":\"abcabc\",\"usage\":{\"credits\":1}}");

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}");

        assertThat(door.row().getBoolean("estimated")).isTrue();
        assertThat(door.row().getLong("tokens_out")).isPositive();
    }

    @Test
    void tool_calls_in_pieces_count_as_output() {
        door.provider.saysEvents(
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]}}]}\n\nda",
                "ta: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\":1}\"}}]}}]}\n\n");

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(response.bodyAsString()).contains("\"arguments\":\"\\\":1}\"");
        assertThat(door.row().getLong("tokens_out")).isEqualTo(3);
    }

    @Test
    void a_large_answer_passes_and_is_metered() {
        String answer = "{\"data\":[{\"embedding\":\"" + "A".repeat(10 << 20)
                + "\"}],\"usage\":{\"prompt_tokens\":8,\"total_tokens\":8}}";
        door.provider.saysWhole(answer);

        var response = door.ask("/models/openai/v1/embeddings", "{\"model\":\"m\",\"input\":\"x\"}");

        assertThat(response.body().length()).isEqualTo(answer.length());
        assertThat(tokens(door.row())).isEqualTo("8 0 0 0 0");
    }

    @Test
    void what_is_no_json_passes_and_is_estimated() {
        door.provider.saysWhole("<html>{\"usage\":");

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}");

        assertThat(response.bodyAsString()).isEqualTo("<html>{\"usage\":");
        assertThat(door.row().getBoolean("estimated")).isTrue();
    }

    @Test
    void counting_tokens_costs_nothing() {
        door.provider.saysWhole("{\"input_tokens\":12}");

        var response = door.ask("/models/anthropic/v1/messages/count_tokens", "{\"model\":\"m\"}");

        assertThat(response.bodyAsString()).isEqualTo("{\"input_tokens\":12}");
        assertThat(door.row().getLong("cost_micros")).isZero();
    }

    private static String tokens(Row row) {
        return "%d %d %d %d %d"
                .formatted(
                        row.getLong("tokens_in"),
                        row.getLong("cache_read"),
                        row.getLong("cache_write"),
                        row.getLong("tokens_out"),
                        row.getLong("reasoning"));
    }
}
