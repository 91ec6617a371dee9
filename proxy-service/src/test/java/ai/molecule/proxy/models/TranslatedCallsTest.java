package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls whose provider speaks another protocol are metered, stopped, refused and fail as those that are passed through. */
@ExtendWith(VertxExtension.class)
class TranslatedCallsTest {

    private static final String RESPONSES = "/models/openai/v1/responses";
    private static final String CHAT_OF_CLAUDE =
            "{\"model\":\"anthropic:m\",%s\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    private static final String MESSAGE_OF_GPT =
            "{\"model\":\"openai:m\",%s\"max_tokens\":9000,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    private static final String RESPONSE_OF_CLAUDE = "{\"model\":\"anthropic:m\",%s\"input\":\"hi\"}";
    private static final String STREAM = "\"stream\":true,";

    /** 300 bytes of text: a hundred tokens, as they are counted. */
    private static final String LONG = "data: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\""
            + "abc".repeat(100) + "\"}}]}\n\n";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        door.provider.answer = response -> FakeModels.answer(door.provider.asked.getLast(), response);
    }

    @Test
    void a_call_is_asked_and_metered_in_the_protocol_of_its_provider() {
        var response = door.ask(
                DoorUnderTest.CHAT, CHAT_OF_CLAUDE.formatted(""), "anthropic-beta", "x", "X-Stainless-Lang", "js");

        assertThat(response.bodyAsString()).contains("\"content\":\"hello\"", "\"finish_reason\":\"stop\"");
        assertThat(response.getHeader("X-Molecule-Model")).isEqualTo("anthropic:m");
        var asked = door.provider.asked.getFirst();
        assertThat(asked.uri()).isEqualTo("/v1/messages");
        assertThat(asked.headers().get("anthropic-version")).isEqualTo("2023-06-01");
        assertThat(asked.headers().contains("anthropic-beta")).isFalse();
        assertThat(asked.body())
                .isEqualTo(
                        "{\"model\":\"m\",\"max_tokens\":16384,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}]}");
        var row = door.row();
        assertThat(row.getString("operation") + " " + row.getString("outcome")).isEqualTo("messages ok");
        assertThat(row.getLong("tokens_in")).isEqualTo(6);
        assertThat(row.getLong("cache_read")).isEqualTo(4);
        assertThat(row.getLong("tokens_out")).isEqualTo(5);
        assertThat(row.getBoolean("estimated")).isFalse();
        assertThat(row.getLong("cost_micros")).isEqualTo(12 + 2 + 50);
    }

    @Test
    void a_stream_that_tells_no_usage_unasked_is_asked_for_it_and_keeps_it_from_who_did_not_ask() {
        var silent = door.ask(DoorUnderTest.CHAT, CHAT_OF_CLAUDE.formatted(STREAM));
        var asked = door.ask(
                DoorUnderTest.CHAT, CHAT_OF_CLAUDE.formatted(STREAM + "\"stream_options\":{\"include_usage\":true},"));
        var message = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(silent.bodyAsString()).doesNotContain("prompt_tokens").endsWith("data: [DONE]\n\n");
        assertThat(asked.bodyAsString()).contains("\"choices\":[],\"usage\":{\"prompt_tokens\":10");
        assertThat(door.provider.asked.getLast().body()).contains("\"include_usage\":true");
        assertThat(message.getHeader("Content-Type")).startsWith("text/event-stream");
        assertThat(message.bodyAsString())
                .contains("\"cache_read_input_tokens\":4,\"output_tokens\":5")
                .endsWith("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    openai/v1/chat/completions | anthropic:m | "n":2                                                        | n other than 1
                    openai/v1/chat/completions | anthropic:m | "logprobs":true                                              | logprobs
                    openai/v1/chat/completions | anthropic:m | "frequency_penalty":0.5                                      | frequency_penalty
                    openai/v1/chat/completions | anthropic:m | "temperature":1.5                                            | temperature above 1
                    openai/v1/chat/completions | anthropic:m | "response_format":{"type":"json_object"}                     | json_object
                    openai/v1/chat/completions | anthropic:m | "tools":[{"type":"custom","custom":{"name":"x"}}]            | custom
                    openai/v1/chat/completions | anthropic:m | "messages":[{"role":"user","content":[{"type":"input_audio"}]}] | input_audio
                    openai/v1/chat/completions | newer:m     | "stop":["x"]                                                 | stops the output
                    openai/v1/responses        | anthropic:m | "previous_response_id":"resp_1"                              | previous_response_id
                    openai/v1/responses        | anthropic:m | "background":true                                            | background
                    openai/v1/responses        | anthropic:m | "tools":[{"type":"web_search"}]                              | web_search
                    openai/v1/responses        | older:m     | "input":[{"type":"item_reference","id":"x"}]                 | item_reference
                    anthropic/v1/messages      | openai:m    | "top_k":5                                                    | top_k
                    anthropic/v1/messages      | openai:m    | "mcp_servers":[{"url":"x"}]                                  | mcp_servers
                    anthropic/v1/messages      | openai:m    | "tools":[{"type":"bash_20250124","name":"bash"}]             | bash_20250124
                    anthropic/v1/messages      | openai:m    | "tools":[{"name":"x","defer_loading":true}]                  | tools.defer_loading
                    anthropic/v1/messages      | openai:m    | "messages":[{"role":"user","content":[{"type":"document"}]}] | document
                    anthropic/v1/messages      | openai:m    | "something_new":{"a":1}                                      | something_new
                    anthropic/v1/messages      | openai:m    | "max_tokens":"many"                                          | a whole number
                    """)
    void what_does_not_translate_is_refused_before_anything_leaves(
            String path, String model, String member, String named) {
        var response = door.ask("/models/" + path, "{\"model\":\"%s\",%s}".formatted(model, member));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.bodyAsJsonObject().getJsonObject("error").getString("message"))
                .contains(named);
        assertThat(response.bodyAsJsonObject().getJsonObject("error").getString("type"))
                .isEqualTo("invalid_request_error");
        assertThat(door.provider.asked).isEmpty();
        assertThat(door.query("SELECT 1 FROM proxy.model_calls WHERE workspace_id = $1"))
                .isEmpty();
        assertThat(door.spent() + door.reserved()).isZero();
    }

    @Test
    void what_says_nothing_and_what_only_hints_is_let_through() {
        var response = door.ask(
                DoorUnderTest.MESSAGES,
                MESSAGE_OF_GPT.formatted(
                        "\"thinking\":{\"type\":\"adaptive\"},\"metadata\":{\"user_id\":\"u\"},\"top_k\":null,\"mcp_servers\":[],\"temperature\":1,"));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(door.provider.asked.getFirst().body())
                .doesNotContain("thinking", "metadata", "top_k", "temperature");
    }

    @Test
    void a_conversation_of_more_parts_than_a_tree_may_have_is_refused() {
        var response =
                door.ask(DoorUnderTest.CHAT, CHAT_OF_CLAUDE.formatted("\"stop\":[" + "0,".repeat(600_000) + "0],"));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.bodyAsString()).contains("500000 parts");
        assertThat(door.provider.asked).isEmpty();
    }

    @Test
    void a_budget_ends_a_translated_stream_in_its_middle(Vertx vertx) {
        door.proxy.platform.budgets.put(door.workspace, 3L);
        door.provider.answer = response -> endless(vertx, response);

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(response.bodyAsString())
                .contains("event: content_block_delta", "event: error", "billing_error")
                .doesNotContain("message_stop");
        assertThat(door.row().getString("outcome")).isEqualTo("stopped");
        await().until(() -> door.reserved() == 0 && door.spent() >= 20_000 && door.spent() <= 33_000);
    }

    @Test
    void an_answer_that_comes_whole_is_asked_for_no_longer_than_is_paid() {
        door.proxy.platform.budgets.put(door.workspace, 2L);

        door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(""));

        assertThat(door.provider.asked.getFirst().body()).containsPattern("\"max_tokens\":19\\d\\d\\D");
    }

    @Test
    void one_that_cannot_answer_is_followed_by_one_of_another_protocol() {
        door.provider.answer = response -> {
            var asked = door.provider.asked.getLast();
            if (asked.uri().startsWith("/weak")) {
                response.setStatusCode(529).end();
            } else {
                FakeModels.answer(asked, response);
            }
        };

        var response = door.ask(DoorUnderTest.CHAT, CHAT_OF_CLAUDE.formatted("").replace("anthropic:m", "faint:m"));
        var refused = door.ask(
                DoorUnderTest.CHAT,
                CHAT_OF_CLAUDE.formatted("\"logit_bias\":{\"1\":2},").replace("anthropic:m", "faint:m"));

        assertThat(response.bodyAsString()).contains("\"content\":\"hello\"");
        assertThat(response.getHeader("X-Molecule-Instead-Of")).isEqualTo("faint:m");
        assertThat(refused.statusCode()).as("nobody else can be asked that").isEqualTo(529);
        assertThat(door.rows(3))
                .extracting(row -> row.getString("provider") + " " + row.getString("operation"))
                .startsWith("faint chat", "anthropic messages", "faint chat");
    }

    @Test
    void an_overload_is_waited_for_and_then_told_in_the_callers_own_shape() {
        door.provider.answer = response -> response.setStatusCode(529)
                .putHeader("Content-Type", "application/json")
                .end("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}");

        var response = door.ask(DoorUnderTest.CHAT, CHAT_OF_CLAUDE.formatted(""));

        assertThat(response.statusCode()).isEqualTo(529);
        assertThat(response.bodyAsString())
                .isEqualTo(
                        "{\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\",\"param\":null,\"code\":\"overloaded_error\"}}");
        assertThat(door.row().getInteger("attempts")).isEqualTo(3);
        assertThat(door.row().getLong("cost_micros")).isZero();
    }

    @Test
    void an_answer_that_is_cut_is_told_as_an_error_and_counted_as_estimated() {
        var response = door.ask(RESPONSES, RESPONSE_OF_CLAUDE.formatted(STREAM).replace("\"hi\"", "\"cut\""));

        assertThat(response.bodyAsString())
                .contains("\"delta\":\"hel\"", "event: error", "broke off")
                .doesNotContain("response.completed");
        assertThat(door.row().getString("outcome")).isEqualTo("cut");
        assertThat(door.row().getBoolean("estimated")).isTrue();
    }

    @Test
    void a_stream_that_ends_before_it_is_over_is_cut_too() {
        door.provider.saysEvents(LONG);

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(response.bodyAsString())
                .contains("event: error", "broke off")
                .doesNotContain("message_stop");
        assertThat(door.row().getString("outcome")).isEqualTo("cut");
    }

    @Test
    void a_stream_without_usage_and_without_its_last_word_is_whole_and_estimated() {
        door.provider.saysEvents(LONG, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(response.bodyAsString()).contains("\"output_tokens\":100", "event: message_stop");
        assertThat(door.row().getString("outcome")).isEqualTo("ok");
        assertThat(door.row().getBoolean("estimated")).isTrue();
    }

    @Test
    void an_error_within_a_stream_is_told_in_the_callers_shape() {
        door.provider.saysEvents(
                LONG, "data: {\"error\":{\"message\":\"the engine burns\",\"type\":\"server_error\"}}\n\n");

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(response.bodyAsString())
                .contains("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\"", "engine burns");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"choices":[{"mess   | no JSON
            []                   | no JSON
            {"choices":[]}       | no chat completion
            """)
    void what_is_no_answer_is_a_bad_gateway_and_metered(String answer, String said) {
        door.provider.saysWhole(answer);

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(""));

        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(error(response)).startsWith("api_error").contains(said);
        assertThat(door.row().getString("outcome")).isEqualTo("cut");
    }

    @Test
    void what_is_no_event_is_a_bad_gateway() {
        door.provider.saysEvents("data: {\"choices\n\n");

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(error(response)).contains("no JSON");
    }

    @Test
    void arguments_that_are_no_object_are_a_bad_gateway_where_they_must_be_one() {
        door.provider.saysWhole(
                "{\"id\":\"1\",\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"at\"}}]},\"finish_reason\":\"tool_calls\"}]}");

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(""));

        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(error(response)).contains("look", "no JSON object");
    }

    @Test
    void an_answer_of_10_MiB_comes_whole_and_one_beyond_the_bound_does_not() {
        String text = "0123456789abcdef".repeat(10 << 16);
        door.provider.saysWhole(
                "{\"id\":\"1\",\"choices\":[{\"message\":{\"content\":\"%s\"},\"finish_reason\":\"stop\"}]}"
                        .formatted(text));

        var whole = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(""));
        door.provider.saysWhole(
                "{\"id\":\"1\",\"choices\":[{\"message\":{\"content\":\"%s%s\"},\"finish_reason\":\"stop\"}]}"
                        .formatted(text, text));
        var tooLong = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(""));

        assertThat(whole.bodyAsJsonObject()
                        .getJsonArray("content")
                        .getJsonObject(0)
                        .getString("text"))
                .hasSize(10 << 20);
        assertThat(tooLong.statusCode()).isEqualTo(502);
        assertThat(error(tooLong)).contains("16777216 bytes");
        holdsNothing();
    }

    @Test
    void a_stream_of_10_MiB_is_translated_piece_by_piece() {
        String piece = "0123456789abcdef".repeat(1 << 12);
        door.provider.answer = response -> {
            FakeProvider.events(response);
            for (int nth = 0; nth < 160; nth++) {
                response.write("data: {\"choices\":[{\"delta\":{\"content\":\"" + piece + "\"}}]}\n\n");
            }
            response.end("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n");
        };

        var response = door.ask(DoorUnderTest.MESSAGES, MESSAGE_OF_GPT.formatted(STREAM));

        assertThat(response.bodyAsString().split(piece, -1)).hasSize(161);
        assertThat(response.bodyAsString()).contains("\"stop_reason\":\"max_tokens\"");
        holdsNothing();
    }

    @Test
    void a_caller_that_leaves_ends_the_call_and_what_was_kept_for_it(Vertx vertx) throws Exception {
        var gone = new CompletableFuture<Void>();
        door.provider.answer = response -> {
            response.setChunked(true).putHeader("Content-Type", "application/json");
            response.write("{\"id\":\"1\",\"choices\":").onComplete(written -> {});
            response.closeHandler(closed -> gone.complete(null));
        };
        var client = Kept.kept(vertx.createHttpClient());
        client.request(io.vertx.core.http.HttpMethod.POST, door.proxy.port, "127.0.0.1", DoorUnderTest.MESSAGES)
                .compose(request -> request.putHeader("Authorization", "Bearer " + door.token)
                        .end(Buffer.buffer(MESSAGE_OF_GPT.formatted(""))))
                .await();
        await().until(() -> metric("molecule_model_answer_bytes") > 0);

        client.close().await();

        gone.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(door.row().getString("outcome")).isEqualTo("left");
        holdsNothing();
    }

    @Test
    void a_model_is_listed_under_each_protocol_that_reaches_it() {
        assertThat(door.get("/models/anthropic/v1/models").bodyAsString())
                .contains("\"id\":\"openai:m\"", "\"id\":\"older:m\"", "\"id\":\"newer:m\"")
                .doesNotContain("google:m");
        assertThat(door.get("/models/openai/v1/models").bodyAsString()).contains("\"id\":\"anthropic:m\"");
        assertThat(door.get("/models").bodyAsString())
                .contains(
                        "{\"name\":\"anthropic\",\"ready\":true,\"protocols\":[\"openai\",\"anthropic\"],\"translated\":[\"chat\",\"responses\"]",
                        "{\"name\":\"older\",\"ready\":true,\"protocols\":[\"openai\",\"anthropic\"],\"translated\":[\"responses\",\"messages\"]",
                        "{\"name\":\"google\",\"ready\":true,\"protocols\":[\"google\"],\"translated\":[]");
    }

    private void holdsNothing() {
        await().until(() -> metric("molecule_model_answer_bytes") == 0);
    }

    private double metric(String name) {
        return door.proxy
                .client
                .get("/metrics")
                .send()
                .await()
                .bodyAsString()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    private static String error(HttpResponse<Buffer> response) {
        var error = response.bodyAsJsonObject().getJsonObject("error");
        return error.getString("type") + " " + error.getString("message");
    }

    /** Writes until the other side has enough. */
    private static void endless(Vertx vertx, HttpServerResponse response) {
        FakeProvider.events(response);
        vertx.setPeriodic(1, again -> {
            if (response.closed()) {
                vertx.cancelTimer(again);
            } else if (!response.writeQueueFull()) {
                response.write(LONG);
            }
        });
    }
}
