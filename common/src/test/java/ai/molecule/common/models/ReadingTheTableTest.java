package ai.molecule.common.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of providers: what comes with the proxy, what an operator adds, what is refused. */
class ReadingTheTableTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void the_table_that_comes_along_can_be_read() {
        assertThat(ProviderTable.read(null).all())
                .extracting(Provider::name)
                .containsExactly(
                        "anthropic",
                        "openai",
                        "openrouter",
                        "groq",
                        "cerebras",
                        "google",
                        "mistral",
                        "deepseek",
                        "qianfan",
                        "azure-openai",
                        "bedrock",
                        "ollama",
                        "vllm");
    }

    @Test
    void an_edition_of_a_model_has_its_price_and_a_relative_has_not() {
        var openai =
                ProviderTable.read(null).choose(ModelProtocol.OPENAI, "gpt-4o").provider();

        assertThat(openai.priceOf("gpt-4o-2024-08-06")).isEqualTo(openai.priceOf("gpt-4o"));
        assertThat(openai.priceOf("gpt-4o-mini")).isNotEqualTo(openai.priceOf("gpt-4o"));
        assertThat(openai.priceOf("gpt-4o-audio-preview")).isNull();
        assertThat(Objects.requireNonNull(openai.priceOf("gpt-5-2025-08-07")).reasoning())
                .isTrue();
        assertThat(Objects.requireNonNull(openai.priceOf("gpt-4o")).reasoning()).isFalse();
    }

    @Test
    void a_long_prompt_has_the_prices_beyond_its_threshold_for_all_of_it() {
        var haiku = Objects.requireNonNull(ProviderTable.read(null)
                .choose(ModelProtocol.ANTHROPIC, "claude-haiku-5-5")
                .price());

        assertThat(haiku.micros(new ModelUsage(60_000, 40_000, 0, 0, 1_000, 0))).isEqualTo(6_000 + 400 + 500);
        assertThat(haiku.micros(new ModelUsage(60_001, 40_000, 0, 0, 1_000, 0))).isEqualTo(30_001 + 2_000 + 2_500);
    }

    @Test
    void what_is_kept_for_an_hour_costs_twice_what_is_read() {
        var sonnet = Objects.requireNonNull(ProviderTable.read(null)
                .choose(ModelProtocol.ANTHROPIC, "claude-sonnet-4-6")
                .price());

        assertThat(sonnet.micros(new ModelUsage(0, 0, 3_000, 1_000, 0, 0))).isEqualTo(2 * 3_750 + 6_000);
        assertThat(sonnet.microsAtMost(1_000, 0)).isEqualTo(6_000);
    }

    @Test
    void every_secret_is_named_so_that_none_of_them_reaches_an_agent() throws IOException {
        assertThat(ProviderTable.read(null).secrets())
                .contains("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GROQ_API_KEY");
        assertThat(table("{\"name\":\"mine\",\"endpoints\":{},\"secret\":\"MINE\",\"url_secret\":\"WHERE\"}")
                        .secrets())
                .contains("MINE", "WHERE", "OPENAI_API_KEY");
    }

    @Test
    void a_key_of_ones_own_protocol_is_a_bearer_at_an_endpoint_of_openais() {
        var anthropic = ProviderTable.read(null)
                .choose(ModelProtocol.OPENAI, "anthropic:x")
                .provider();

        assertThat(anthropic.authAt(ModelProtocol.OPENAI)).isEqualTo(Provider.Auth.BEARER);
        assertThat(anthropic.authAt(ModelProtocol.ANTHROPIC)).isEqualTo(Provider.Auth.X_API_KEY);
    }

    @Test
    void a_provider_that_an_operator_replaced_has_no_price_but_the_operators() throws IOException {
        var table = table("{\"name\":\"openai\",\"endpoints\":{\"openai\":\"http://x\"},\"secret\":null}");

        assertThat(table.get("openai").priceOf("gpt-4o")).isNull();
        assertThat(table.get("anthropic").priceOf("claude-opus-5")).isNotNull();
    }

    @Test
    void an_operators_file_adds_and_replaces() throws IOException {
        var table = table("{\"name\":\"mine\",\"endpoints\":{\"openai\":\"http://10.0.0.1:8000/v1/\"},\"secret\":null},"
                + "{\"name\":\"openai\",\"endpoints\":{},\"secret\":\"OTHER\"}");

        assertThat(table.choose(ModelProtocol.OPENAI, "mine:x").provider().endpoints())
                .isEqualTo(Map.of(ModelProtocol.OPENAI, "http://10.0.0.1:8000/v1"));
        assertThatThrownBy(() -> table.choose(ModelProtocol.OPENAI, "gpt-4o")).hasMessageContaining("no address yet");
    }

    @Test
    void a_provider_is_followed_by_those_that_stand_in_for_it() throws IOException {
        var table = table("{\"name\":\"mine\",\"endpoints\":{\"openai\":\"http://x\"},\"secret\":null,"
                + "\"fallbacks\":[\"groq\",\"google:gemini-2.5-flash\",\"anthropic:claude-haiku-4-5\"]}");

        assertThat(named(table.route(ModelProtocol.OPENAI, "mine:x")))
                .containsExactly("mine:x", "groq:x", "google:gemini-2.5-flash", "anthropic:claude-haiku-4-5");
        assertThat(named(table.route(ModelProtocol.OPENAI, "openai:x"))).containsExactly("openai:x");
    }

    @Test
    void what_an_endpoint_answers_stands_in_its_row_and_is_both_where_it_does_not() throws IOException {
        var table = table(
                "{\"name\":\"mine\",\"endpoints\":{\"openai\":\"http://x\"},\"secret\":null,\"serves\":[\"responses\"]}");

        assertThat(table.choose(ModelProtocol.OPENAI, "mine:x").provider().serves())
                .containsExactly("responses");
        assertThat(table.choose(ModelProtocol.OPENAI, "openai:x").provider().serves())
                .containsExactlyInAnyOrder("chat", "responses");
        assertThat(table.choose(ModelProtocol.OPENAI, "mistral:x").provider().serves())
                .containsExactly("chat");
        assertThatThrownBy(
                        () -> table(
                                "{\"name\":\"mine\",\"endpoints\":{\"openai\":\"http://x\"},\"secret\":null,\"serves\":[\"songs\"]}"))
                .hasMessageContaining("serves chat, responses or both");
    }

    @Test
    void an_alias_stands_for_its_models_that_speak_the_protocol() throws IOException {
        var table = ProviderTable.read(
                Files.writeString(
                        folder.resolve("table.json"),
                        "{\"providers\":[],\"aliases\":[{\"name\":\"fast\",\"models\":[\"groq:a\",\"anthropic:b\",\"openai:c\"]}]}"));

        assertThat(named(table.route(ModelProtocol.OPENAI, "fast")))
                .containsExactly("groq:a", "anthropic:b", "openai:c");
        assertThat(named(table.route(ModelProtocol.ANTHROPIC, "fast"))).containsExactly("anthropic:b");
        assertThatThrownBy(() -> table.route(ModelProtocol.GOOGLE, "fast")).hasMessageContaining("does not speak");
    }

    @Test
    void what_is_wrong_in_a_file_is_named() {
        Map.of(
                        "{\"name\":\"A\"}", "needs a name",
                        "{\"name\":\"a\",\"endpoints\":{\"soap\":\"http://x\"},\"secret\":null}", "no protocol soap",
                        "{\"name\":\"a\",\"endpoints\":{\"openai\":\"ftp://x\"},\"secret\":null}", "base URLs",
                        "{\"name\":\"a\",\"endpoints\":{\"openai\":\"http://x?key=1\"},\"secret\":null}", "base URLs",
                        "{\"name\":\"a\",\"endpoints\":{}}", "name of a secret",
                        "{\"name\":\"a\",\"endpoints\":{},\"secret\":null,\"key\":\"k\"}", "nobody reads: key",
                        "{\"name\":\"a\",\"endpoints\":{},\"secret\":null,\"parallel_max\":0}", "parallel_max",
                        "{\"name\":\"a\",\"endpoints\":{},\"secret\":null,\"prices\":[{\"model\":\"m\",\"in\":-1,\"out\":1}]}",
                                "price",
                        "{\"name\":\"a\",\"endpoints\":{},\"secret\":null,\"prices\":[{\"model\":\"m\",\"in\":1,\"out\":1}]}",
                                "the day",
                        "{", "is not JSON")
                .forEach((row, complaint) -> assertThatThrownBy(() -> table(row))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("MOLECULE_PROVIDERS")
                        .hasMessageContaining(complaint));
        assertThatThrownBy(() -> ProviderTable.read(folder.resolve("nowhere")))
                .hasMessageContaining("MOLECULE_PROVIDERS");
    }

    @Test
    void a_price_of_more_digits_than_any_has_is_refused_before_it_is_reckoned_with() {
        for (String price : List.of("1e-999999999", "0e999999999")) {
            assertThatThrownBy(() -> table(
                            "{\"name\":\"a\",\"endpoints\":{},\"secret\":null,\"prices\":[{\"model\":\"m\",\"in\":%s,\"out\":1}]}"
                                    .formatted(price)))
                    .hasMessageContaining("has a price that is none");
        }
    }

    @Test
    void the_schema_names_every_member_that_is_read() throws IOException {
        var schema = resource("providers.schema.json")
                .path("properties")
                .path("providers")
                .path("items")
                .path("properties");

        for (var row : resource("providers.json").path("providers")) {
            assertThat(names(schema)).containsAll(names(row));
        }
    }

    private ProviderTable table(String rows) throws IOException {
        return ProviderTable.read(Files.writeString(folder.resolve("table.json"), "{\"providers\":[" + rows + "]}"));
    }

    @Test
    void what_is_wrong_with_limits_and_fallbacks_is_named() {
        Map.of(
                        "\"tokens_per_minute\":0", "tokens_per_minute",
                        "\"requests_per_minute\":\"many\"", "requests_per_minute",
                        "\"fallbacks\":[\"nobody:x\"]", "none of: nobody",
                        "\"fallbacks\":\"openai\"", "no list")
                .forEach((member, complaint) -> assertThatThrownBy(
                                () -> table("{\"name\":\"a\",\"endpoints\":{},\"secret\":null," + member + "}"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(complaint));
    }

    private static List<String> named(List<ProviderTable.Chosen> route) {
        return route.stream().map(ProviderTable.Chosen::name).toList();
    }

    private static List<String> names(JsonNode node) {
        return node.properties().stream().map(Map.Entry::getKey).toList();
    }

    private static JsonNode resource(String name) throws IOException {
        try (var text = ProviderTable.class.getResourceAsStream("/models/" + name)) {
            return Json.parse(text == null ? new byte[0] : text.readAllBytes());
        }
    }
}
