package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A model that is used without a price is asked about once, and the price that somebody gives it counts from then on. */
@ExtendWith(VertxExtension.class)
class PricesOfModelsTest {

    private static final String ROOT = "the-admin-token";
    private static final String ASKED = "{\"model\":\"fake:new\",\"max_tokens\":1000}";
    private static final String PRICES = "/settings/prices";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder, limits -> limits, "ADMIN_TOKEN", ROOT);
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":900}}");
    }

    @Test
    void a_model_without_a_price_is_asked_about_once_however_many_call_it_and_has_it_from_the_next_call_on() {
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(200);
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(200);
        assertThat(door.askAs(door.proxy.platform.tokenOf(UUID.randomUUID()), DoorUnderTest.CHAT, ASKED)
                        .statusCode())
                .isEqualTo(200);
        assertThat(door.rows(2)).allMatch(row -> row.getLong("cost_micros") == null);
        await().until(() -> told("MODEL_PRICE_MISSING").size() == 1);
        assertThat(told("MODEL_PRICE_MISSING").getFirst().getString("model")).isEqualTo("fake:new");
        assertThat(get().getJsonArray("missing")).isEqualTo(JsonArray.of("fake:new"));

        assertThat(answer(HttpMethod.PUT, PRICES, "{\"model\":\"fake:new\",\"in\":2,\"out\":10}")
                        .statusCode())
                .isEqualTo(200);

        assertThat(told("MODEL_PRICE_SET")).hasSize(1);
        assertThat(get().getJsonArray("missing")).isEmpty();
        assertThat(get().getJsonArray("prices").getJsonObject(0).getDouble("out"))
                .isEqualTo(10);
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(200);
        assertThat(door.rows(3).getLast().getLong("cost_micros")).isEqualTo(9_020);
        assertThat(door.query(
                        "SELECT 1 FROM log.audit WHERE entry LIKE '%model_price.created%' AND $1::uuid IS NOT NULL"))
                .hasSize(1);
    }

    @Test
    void under_a_budget_it_is_refused_and_asked_about_until_it_has_a_price() {
        door.proxy.platform.budgets.put(door.workspace, 100L);

        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).bodyAsString()).contains("no_price", "PUT /settings/prices");
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(403);
        await().until(() -> told("MODEL_PRICE_MISSING").size() == 1);

        answer(HttpMethod.PUT, PRICES, "{\"model\":\"fake:new\",\"in\":2,\"out\":10}");
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(200);

        assertThat(answer(HttpMethod.DELETE, PRICES + "?model=fake:new", "").statusCode())
                .isEqualTo(200);
        assertThat(door.ask(DoorUnderTest.CHAT, ASKED).statusCode()).isEqualTo(403);
        await().until(() -> told("MODEL_PRICE_MISSING").size() == 2);
    }

    @Test
    void the_price_of_a_model_covers_its_editions_and_goes_before_the_tables() {
        String edition = "{\"model\":\"fake:new-2026-11-01\"}";
        door.ask(DoorUnderTest.CHAT, edition);
        await().until(() -> told("MODEL_PRICE_MISSING").size() == 1);
        answer(HttpMethod.PUT, PRICES, "{\"model\":\"fake:new\",\"in\":0,\"out\":1}");
        assertThat(told("MODEL_PRICE_SET").getFirst().getString("model")).isEqualTo("fake:new-2026-11-01");
        answer(HttpMethod.PUT, PRICES, "{\"model\":\"fake:m\",\"in\":0,\"out\":1}");

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");

        assertThat(door.rows(2).getLast().getLong("cost_micros")).isEqualTo(900);
    }

    @Test
    void names_that_agents_invent_do_not_fill_the_inbox() {
        door.proxy.platform.budgets.put(door.workspace, 100L);

        for (int nth = 0; nth < 25; nth++) {
            assertThat(door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:x%d\"}".formatted(nth))
                            .statusCode())
                    .isEqualTo(403);
        }

        await().until(() -> told("MODEL_PRICE_MISSING").size() >= 20);
        assertThat(told("MODEL_PRICE_MISSING")).hasSize(20);
    }

    @Test
    void nobody_is_asked_for_the_price_at_an_address_of_a_workspaces_own() {
        door.proxy.platform.secrets.put("FAKE_URL", door.provider.url() + "/v1");
        door.ask(DoorUnderTest.CHAT, ASKED);
        door.rows(1);
        door.proxy.platform.secrets.remove("FAKE_URL");

        await().until(() -> {
            door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:other\"}");
            return !told("MODEL_PRICE_MISSING").isEmpty();
        });
        assertThat(told("MODEL_PRICE_MISSING"))
                .extracting(payload -> payload.getString("model"))
                .containsExactly("fake:other");
    }

    @Test
    void what_is_no_price_is_refused() {
        for (String body : List.of(
                "{}",
                "{\"model\":\"new\",\"in\":1,\"out\":1}",
                "{\"model\":\"fake:\",\"in\":1,\"out\":1}",
                "{\"model\":\"fake:new\",\"in\":1}",
                "{\"model\":\"fake:new\",\"in\":-1,\"out\":1}",
                "{\"model\":\"fake:new\",\"in\":\"1\",\"out\":1}",
                "{\"model\":\"fake:new\",\"in\":1,\"out\":1,\"dated\":\"today\"}",
                "{\"model\":\"fake:new\",\"in\":1,\"out\":1,\"free\":true}")) {
            assertThat(answer(HttpMethod.PUT, PRICES, body).statusCode())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(answer(HttpMethod.PUT, PRICES, "{\"model\":\"nobody:new\",\"in\":1,\"out\":1}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(answer(HttpMethod.DELETE, PRICES + "?model=fake:new", "").statusCode())
                .isEqualTo(404);
        assertThat(get().getJsonArray("prices")).isEmpty();
    }

    private List<JsonObject> told(String type) {
        return door
                .query(
                        "SELECT payload::text FROM log.events WHERE $1::uuid IS NOT NULL AND event_type = '%s' ORDER BY id"
                                .formatted(type))
                .stream()
                .map(row -> new JsonObject(row.getString(0)))
                .toList();
    }

    private JsonObject get() {
        return answer(HttpMethod.GET, PRICES, "").bodyAsJsonObject();
    }

    private HttpResponse<Buffer> answer(HttpMethod method, String path, String body) {
        return door.proxy
                .client
                .request(method, path)
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(Buffer.buffer(body))
                .await();
    }
}
