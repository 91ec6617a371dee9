package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.models.PgLedgerStore.Ask;
import ai.molecule.proxy.models.PgLedgerStore.LastWord;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A workspace's limit bites: before a call leaves, in the middle of a stream, and for all its calls together. */
@ExtendWith(VertxExtension.class)
class BudgetsOfModelsTest {

    private static final long CENT = 10_000;

    /** Twenty tokens of three bytes. */
    private static final String PIECE =
            "data: {\"choices\":[{\"delta\":{\"content\":\"" + "abc".repeat(20) + "\"}}]}\n\n";

    private static final LastWord NOTHING = new LastWord(0L, 0, null);

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
    }

    @Test
    void a_stream_ends_in_the_middle_when_nothing_is_left(Vertx vertx) {
        limit(3); // of which a slice of 1,024 tokens is 10,240
        door.provider.answer = response -> endless(vertx, response);

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(response.bodyAsString())
                .startsWith(PIECE)
                .contains("\"type\":\"insufficient_quota\"", "\"code\":\"budget_exceeded\"")
                .endsWith("data: [DONE]\n\n");
        assertThat(door.row().getString("outcome")).isEqualTo("stopped");
        settled();
        assertThat(door.spent()).isBetween(2 * CENT, 3 * CENT);
    }

    @Test
    void a_stream_that_comes_without_events_ends_when_nothing_is_left(Vertx vertx) {
        limit(3);
        door.provider.answer = response -> {
            response.setChunked(true).putHeader("Content-Type", "application/json");
            var pieces = new AtomicInteger(300);
            vertx.setPeriodic(1, again -> {
                if (response.closed() || pieces.getAndDecrement() == 0) {
                    vertx.cancelTimer(again);
                    response.end();
                } else {
                    response.write("\"abc\",".repeat(200));
                }
            });
        };

        door.asking(door.token, DoorUnderTest.CHAT, DoorUnderTest.STREAMED)
                .transform(cut -> Future.succeededFuture())
                .await();

        assertThat(door.row().getString("outcome")).isEqualTo("stopped");
        settled();
        assertThat(door.spent()).isBetween(2 * CENT, 3 * CENT + CENT / 2);
    }

    /** Retries with a time-out of their own cost as much as answers that are read. */
    @Test
    void an_answer_that_comes_whole_costs_what_it_was_promised_though_nobody_waits_for_it(Vertx vertx) {
        limit(10);

        leave(vertx, "{\"model\":\"m\",\"max_tokens\":8000}");

        var row = door.row();
        assertThat(row.getString("outcome")).isEqualTo("left");
        assertThat(row.getLong("tokens_out")).isEqualTo(8_000);
        assertThat(row.getBoolean("estimated")).isTrue();
        settled();
        assertThat(door.spent()).isBetween(80_000L, 81_000L);
        assertThat(door.reserved()).isZero();
    }

    @Test
    void without_a_budget_the_limit_that_is_stated_counts_and_of_a_stream_what_was_written(Vertx vertx) {
        leave(vertx, "{\"model\":\"m\",\"max_tokens\":8000}");
        leave(vertx, "{\"model\":\"m\",\"max_tokens\":8000,\"stream\":true}");
        leave(vertx, "{\"model\":\"m\"}");

        assertThat(door.rows(3)).extracting(row -> row.getLong("tokens_out")).containsExactly(8_000L, 0L, 0L);
    }

    /** Asks, and goes when the provider has the request. */
    private void leave(Vertx vertx, String body) {
        var asked = new CompletableFuture<Void>();
        var ended = new CompletableFuture<Void>();
        door.provider.answer = response -> {
            response.closeHandler(closed -> ended.complete(null));
            asked.complete(null);
        };
        var caller = Kept.kept(WebClient.create(vertx));
        caller.post(door.proxy.port, "127.0.0.1", DoorUnderTest.CHAT)
                .putHeader("Authorization", "Bearer " + door.token)
                .sendBuffer(Buffer.buffer(body));
        assertThat(asked).succeedsWithin(Duration.ofSeconds(60));
        caller.close();
        assertThat(ended).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void each_protocol_is_told_in_its_own_words(Vertx vertx) {
        limit(2);
        door.provider.answer = response -> endless(
                vertx,
                response,
                "data: {\"delta\":{\"type\":\"text_delta\",\"text\":\"" + "abc".repeat(20) + "\"}}\n\n");
        assertThat(door.ask(DoorUnderTest.MESSAGES, DoorUnderTest.STREAMED).bodyAsString())
                .contains("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"billing_error\"");
        var other = UUID.randomUUID();
        door.proxy.platform.budgets.put(other, 2L);
        door.provider.answer = response -> endless(
                vertx,
                response,
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" + "abc".repeat(20) + "\"}]}}]}\r\n\r\n");

        assertThat(door.askAs(
                                door.proxy.platform.tokenOf(other),
                                "/models/google/v1beta/models/m:streamGenerateContent?alt=sse",
                                "{}")
                        .bodyAsString())
                .contains("\"status\":\"RESOURCE_EXHAUSTED\"");
    }

    @Test
    void a_call_that_cannot_be_paid_does_not_leave() {
        limit(1);

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(response.statusCode()).isEqualTo(402);
        assertThat(response.bodyAsString()).contains("$0.01", "PATCH /workspaces/" + door.workspace + "/budget");
        assertThat(door.provider.asked).isEmpty();
        assertThat(door.spent() + door.reserved()).isZero();
        assertThat(door.query("SELECT refused FROM proxy.model_budgets WHERE workspace_id = $1"))
                .as("what it would have cost: whoever tells of budgets knows that this one is used up")
                .singleElement()
                .satisfies(row -> assertThat(row.getLong("refused")).isGreaterThan(CENT));
    }

    @Test
    void what_the_agent_says_that_it_spent_counts() {
        limit(50);
        door.proxy.platform.reportedCents = 50;

        assertThat(door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED).statusCode())
                .isEqualTo(402);
    }

    @Test
    void an_answer_that_comes_whole_is_asked_for_no_longer_than_is_paid() {
        limit(2);
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":10}}");

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\",\"max_tokens\":100000}");
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\",\"max_tokens\":50}");
        door.provider.saysWhole("{\"usageMetadata\":{\"promptTokenCount\":0,\"candidatesTokenCount\":10}}");
        door.ask("/models/google/v1beta/models/m:generateContent", "{\"generationConfig\":{}}");

        assertThat(door.provider.asked.get(0).body()).matches("\\{\"model\":\"m\",\"max_tokens\":19\\d\\d}");
        assertThat(door.provider.asked.get(1).body()).contains("\"max_tokens\":50}");
        assertThat(door.provider.asked.get(2).body())
                .matches("\\{\"generationConfig\":\\{\"maxOutputTokens\":19\\d\\d}}");
        settled();
        assertThat(door.spent()).isEqualTo(2 * 102 + 100);
    }

    @Test
    void a_prompt_that_may_all_be_put_into_a_cache_is_promised_at_the_price_of_that() {
        limit(3);

        var response = door.ask(
                DoorUnderTest.CHAT, "{\"model\":\"m\",\"stream\":true,\"x\":\"%s\"}".formatted("words ".repeat(4_000)));

        assertThat(response.statusCode())
                .as(
                        "6,000 tokens at 2 dollars a million and a slice at 10 would be $0.022, put into a cache they are $0.034")
                .isEqualTo(402);
        assertThat(door.provider.asked).isEmpty();
    }

    @Test
    void a_model_without_a_price_is_no_way_around() {
        limit(50);

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:other\"}");

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.bodyAsString()).contains("give its price", "\"code\":\"no_price\"");
        assertThat(door.provider.asked).isEmpty();
    }

    @Test
    void twenty_agents_under_one_budget_end_within_a_tenth_of_it(Vertx vertx) {
        limit(50);
        door.provider.answer = response -> endless(vertx, response);

        for (boolean more = true; more; ) { // until nobody gets anything any more
            List<Future<HttpResponse<Buffer>>> round = IntStream.range(0, 20)
                    .mapToObj(agent -> door.asking(door.token, DoorUnderTest.CHAT, DoorUnderTest.STREAMED))
                    .toList();
            Future.join(round).await();
            settled();
            more = round.stream().anyMatch(answer -> answer.result().statusCode() == 200);
        }

        assertThat(door.spent()).isBetween(45 * CENT, 55 * CENT);
    }

    @Test
    void twenty_reservations_at_once_are_never_more_than_the_limit(Vertx vertx) {
        var store = new PgLedgerStore(Postgres.pool(vertx, door.proxy.databaseUrl(), "proxy"));
        var month = LocalDate.of(2026, 11, 1);

        var granted = IntStream.range(0, 20)
                .mapToObj(call -> store.reserve(
                        new Ask(UUID.randomUUID(), door.workspace, month, 10, 30, 0, 200L, List.of(), NOTHING),
                        Duration.ofMinutes(1)))
                .toList();
        Future.all(granted).await();

        assertThat(granted.stream().mapToLong(Future::result).sum()).isEqualTo(200);
        assertThat(granted).extracting(Future::result).containsOnly(0L, 20L, 30L);
        assertThat(door.reserved()).isEqualTo(200);
    }

    @Test
    void what_a_killed_proxy_was_promised_comes_back(Vertx vertx) {
        var store = new PgLedgerStore(Postgres.pool(vertx, door.proxy.databaseUrl(), "proxy"));
        var month = LocalDate.of(2026, 11, 1);
        var alive = UUID.randomUUID();
        store.reserve(new Ask(alive, door.workspace, month, 10, 10, 0, 100L, List.of(), NOTHING), Duration.ofMillis(-1))
                .await();
        store.reserve(
                        new Ask(UUID.randomUUID(), door.workspace, month, 10, 20, 0, 100L, List.of(), NOTHING),
                        Duration.ofMillis(-1))
                .await();

        store.renew(Map.of(alive, NOTHING), Duration.ofMinutes(1)).await();
        store.endExpired(Set.of(), Instant.now().plusSeconds(60), 1_000).await();

        assertThat(door.reserved()).isEqualTo(10);
    }

    private void limit(long cents) {
        door.proxy.platform.budgets.put(door.workspace, cents);
    }

    private void settled() {
        await().until(() -> door.query("SELECT 1 FROM proxy.model_reservations WHERE workspace_id = $1")
                .isEmpty());
    }

    private static void endless(Vertx vertx, HttpServerResponse response) {
        endless(vertx, response, PIECE);
    }

    /** Writes until the other side has enough. */
    private static void endless(Vertx vertx, HttpServerResponse response, String piece) {
        FakeProvider.events(response);
        vertx.setPeriodic(1, again -> {
            if (response.closed()) {
                vertx.cancelTimer(again);
            } else if (!response.writeQueueFull()) {
                response.write(piece);
            }
        });
    }
}
