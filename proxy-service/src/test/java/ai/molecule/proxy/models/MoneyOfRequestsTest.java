package ai.molecule.proxy.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A budget holds whatever a request says: its provider writes all that the request, as it arrives there, allows. */
@ExtendWith(VertxExtension.class)
class MoneyOfRequestsTest {

    private static final long CENT = 10_000;
    private static final String RESPONSES = "/models/openai/v1/responses";
    private static final String GENERATE = "/models/google/v1beta/models/m:generateContent";
    private static final String STREAM_GENERATE = "/models/google/v1beta/models/m:streamGenerateContent";

    /** Millionths of a dollar that the provider wrote for. */
    private final AtomicLong cost = new AtomicLong();

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        door.provider.answer = this::spend;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"m\",\"n\":100,\"max_tokens\":1900}",
                "{\"model\":\"m\",\"n\":100}",
                "{\"model\":\"m\",\"best_of\":50,\"max_completion_tokens\":900}",
                "{\"model\":\"m\",\"max_output_tokens\":1}",
                "{\"model\":\"m\",\"generationConfig\":{\"maxOutputTokens\":1}}",
                "{\"model\":\"m\",\"max_completion_tokens\":50000}",
                "{\"model\":\"m\",\"max_tokens\":-1}",
                "{\"model\":\"m\",\"max_tokens\":8e4}",
                "{\"model\":\"m\",\"max_tokens\":null,\"stream\":false}",
                "{\"model\":\"m\",\"stream\":true,\"reasoning_effort\":\"high\"}",
                "{\"model\":\"m\",\"stream\":true,\"n\":8,\"reasoning\":{\"effort\":\"low\"},\"max_tokens\":9000}"
            })
    void chat_completions_cost_no_more_than_the_budget(String body) {
        holds(DoorUnderTest.CHAT, body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"m\"}",
                "{\"model\":\"m\",\"max_tokens\":1}",
                "{\"model\":\"m\",\"stream\":true,\"reasoning\":{\"effort\":\"high\"}}"
            })
    void responses_cost_no_more_than_the_budget(String body) {
        holds(RESPONSES, body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"m\",\"max_tokens\":64000}",
                "{\"model\":\"m\",\"max_output_tokens\":5}",
                "{\"model\":\"m\",\"stream\":true,\"max_tokens\":64000,\"thinking\":{\"type\":\"adaptive\"}}",
                "{\"model\":\"m\",\"stream\":true,\"max_tokens\":9000,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000}}"
            })
    void messages_cost_no_more_than_the_budget(String body) {
        holds(DoorUnderTest.MESSAGES, body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"generationConfig\":{\"candidateCount\":8,\"maxOutputTokens\":1900}}",
                "{\"generation_config\":{\"candidate_count\":8,\"max_output_tokens\":1900}}",
                "{\"generation_config\":{}}",
                "{\"max_tokens\":1}",
                "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":-1}}}"
            })
    void gemini_costs_no_more_than_the_budget_whole_or_as_a_list(String body) {
        holds(GENERATE, body);
        holds(STREAM_GENERATE, body);
        holds(STREAM_GENERATE + "?alt=json", body);
        holds(GENERATE + "?fields=candidates&%66ields=candidates&%24fields=candidates", body);
    }

    @Test
    void the_limit_that_a_provider_knows_is_set_under_its_name() {
        limit(door.workspace, 3);

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\", \"max_completion_tokens\" : 70, \"max_output_tokens\":5}");
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\",\"n\":2,\"max_tokens\":20,\"max_completion_tokens\":900}");

        assertThat(door.provider.asked.get(0).body())
                .isEqualTo("{\"model\":\"m\", \"max_tokens\" : 70, \"max_output_tokens\":5}");
        assertThat(door.provider.asked.get(1).body())
                .isEqualTo("{\"model\":\"m\",\"n\":2,\"max_tokens\":20,\"max_completion_tokens\":20}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"m\",\"n\":\"100\"}",
                "{\"model\":\"m\",\"n\":5000}",
                "{\"model\":\"m\",\"max_tokens\":\"9000\"}",
                "{\"model\":\"m\",\"max_tokens\":10,\"Max_Tokens\":90000}",
                "{\"model\":\"m\",\"max_tokens\":90000,\"max_tokens\":10}",
                "{\"model\":\"m\",\"web_search_options\":{}}",
                "{\"model\":\"m\",\"tools\":[{\"type\":\"browser_search\"}]}",
                "{\"model\":\"m\",\"modalities\":[\"text\",\"audio\"]}",
                "{\"model\":\"m\",\"service_tier\":\"priority\"}"
            })
    void what_cannot_be_bounded_is_refused_under_a_budget_and_only_there(String body) {
        limit(door.workspace, 50);

        var refused = door.ask(DoorUnderTest.CHAT, body);

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.bodyAsString())
                .contains("\"code\":\"unbounded_cost\"", "(a budget or limit applies to this call)");
        assertThat(door.provider.asked).isEmpty();
        assertThat(door.spent() + door.reserved()).isZero();

        door.askAs(door.proxy.platform.tokenOf(UUID.randomUUID()), DoorUnderTest.CHAT, body);
        assertThat(door.provider.asked)
                .singleElement()
                .extracting(FakeProvider.Asked::body)
                .isEqualTo(body);
    }

    /** codex names it in each request. */
    @Test
    void a_search_that_the_provider_bills_is_left_out_where_other_tools_are_left() {
        limit(door.workspace, 50);
        String body =
                "{\"model\":\"m\",\"tools\":[{\"type\":\"web_search\"}, {\"type\":\"function\",\"name\":\"é\"} , {\"type\":\"image_generation\"},{\"type\":\"custom\",\"name\":\"b\"}],\"max_output_tokens\":9%s}";

        door.ask(RESPONSES, body.formatted(""));
        var forced = door.ask(RESPONSES, body.formatted(",\"tool_choice\":{\"type\":\"web_search\"}"));
        var alone = door.ask(RESPONSES, "{\"model\":\"m\",\"tools\":[{\"type\":\"web_search\"}]}");

        assertThat(door.provider.asked)
                .extracting(FakeProvider.Asked::body)
                .containsExactly(
                        "{\"model\":\"m\",\"tools\":[{\"type\":\"function\",\"name\":\"é\"},{\"type\":\"custom\",\"name\":\"b\"}],\"max_output_tokens\":9}");
        assertThat(forced.statusCode()).isEqualTo(400);
        assertThat(alone.bodyAsString()).contains("tool web_search cannot be paid from a budget");
    }

    @Test
    void what_hides_the_usage_of_an_answer_stays_here() {
        door.ask(
                GENERATE + "?prettyPrint=false&fields=candidates&%24alt=proto&%6Bey=mine",
                "{}",
                "X-Goog-FieldMask",
                "candidates");

        var asked = door.provider.asked.getFirst();
        assertThat(asked.uri()).endsWith(":generateContent?prettyPrint=false");
        assertThat(asked.headers().contains("X-Goog-FieldMask")).isFalse();
    }

    @Test
    void a_text_without_blanks_is_no_image() {
        limit(door.workspace, 2);

        var response = door.ask(
                DoorUnderTest.CHAT,
                "{\"model\":\"m\",\"max_tokens\":10,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                        .formatted("iVBORw0KGgo".repeat(4_000)));

        assertThat(response.statusCode())
                .as("11,000 tokens at up to 4 dollars a million are more than 2 cents; 1,600 were less")
                .isEqualTo(402);
    }

    /** Until there is nothing left. */
    private void holds(String path, String body) {
        var workspace = UUID.randomUUID();
        limit(workspace, 5);
        cost.set(0);
        String token = door.proxy.platform.tokenOf(workspace);
        int calls = 0;
        for (int status = 200; status == 200; calls++) {
            assertThat(calls).isLessThan(2_000);
            status = door.askAs(token, path, body).statusCode();
            assertThat(status).isIn(200, 402);
            settled();
        }
        assertThat(calls).as("some were paid for").isGreaterThan(1);
        assertThat(cost.get()).as("%s %s", path, body).isLessThanOrEqualTo(5 * CENT);
    }

    private void limit(UUID workspace, long cents) {
        door.proxy.platform.budgets.put(workspace, cents);
    }

    private void settled() {
        await().until(() -> door.query("SELECT 1 FROM proxy.model_reservations WHERE $1::uuid IS NOT NULL")
                .isEmpty());
    }

    /** Thinks as much as it may, and says how much that was at the end. */
    private void spend(HttpServerResponse response) {
        var asked = door.provider.asked.getLast();
        var operation = operation(asked.uri());
        long wrote = LavishProvider.writes(operation, "max_tokens", asked.body().getBytes(UTF_8));
        cost.addAndGet(wrote * 10);
        boolean masked = asked.uri().contains("fields=");
        String usage =
                switch (operation.protocol()) {
                    case GOOGLE ->
                        "\"usageMetadata\":{\"promptTokenCount\":0,\"candidatesTokenCount\":1,\"thoughtsTokenCount\":%d}"
                                .formatted(wrote - 1);
                    case ANTHROPIC -> "\"usage\":{\"input_tokens\":0,\"output_tokens\":%d}".formatted(wrote);
                    case OPENAI ->
                        operation == ModelOperation.RESPONSES
                                ? "\"usage\":{\"input_tokens\":0,\"output_tokens\":%d}".formatted(wrote)
                                : "\"choices\":[],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":%d}"
                                        .formatted(wrote);
                };
        String said = masked ? "{}" : "{" + usage + "}";
        if (Json.stored(asked.body()).path("stream").asBoolean()) {
            FakeProvider.events(response);
            response.end(
                    "data: " + (operation == ModelOperation.RESPONSES ? "{\"response\":" + said + "}" : said) + "\n\n");
        } else {
            response.putHeader("Content-Type", "application/json")
                    .end(operation == ModelOperation.STREAM_GENERATE ? "[" + said + "]" : said);
        }
    }

    private static ModelOperation operation(String uri) {
        return uri.contains(":stream")
                ? ModelOperation.STREAM_GENERATE
                : uri.contains(":generate")
                        ? ModelOperation.GENERATE
                        : uri.endsWith("/messages")
                                ? ModelOperation.MESSAGES
                                : uri.endsWith("/responses") ? ModelOperation.RESPONSES : ModelOperation.CHAT;
    }
}
