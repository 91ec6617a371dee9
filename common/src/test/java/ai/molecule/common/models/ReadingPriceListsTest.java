package ai.molecule.common.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Price lists: the one that comes along, what a list may say, and who signed it. */
class ReadingPriceListsTest {

    private static final String LIST = """
            {"dated":"2026-12-01","prices":[{"model":"openai:gpt-4o","in":1,"out":2},
             {"model":"mine:a:b","in":0.5,"out":3,"cached":0.1,"dated":"2026-11-30"},{"model":"mine:*","in":0,"out":0}]}
            """;

    @Test
    void the_list_that_comes_along_prices_the_providers_that_do() {
        var list = PriceList.shipped();

        assertThat(list.dated()).isAfterOrEqualTo(LocalDate.of(2026, 11, 26));
        assertThat(ProviderTable.shipped().all())
                .extracting(Provider::name)
                .containsAll(list.prices().keySet());
        assertThat(Objects.requireNonNull(ProviderTable.shipped().get("openai").priceOf("gpt-4o"))
                        .in())
                .isEqualByComparingTo("2.5");
        assertThat(list.prices().values().stream()
                        .flatMap(List::stream)
                        .map(ModelPrice::dated)
                        .toList())
                .allSatisfy(day -> assertThat(day).isBeforeOrEqualTo(list.dated()));
    }

    @Test
    void a_list_names_models_with_their_providers_and_goes_before_a_table() {
        var list = PriceList.read(LIST.getBytes(UTF_8), "it");

        assertThat(list.dated()).isEqualTo(LocalDate.of(2026, 12, 1));
        assertThat(list.prices().get("mine")).extracting(ModelPrice::model).containsExactly("a:b", "*");
        assertThat(list.prices().get("openai"))
                .extracting(ModelPrice::dated)
                .containsExactly(LocalDate.of(2026, 12, 1));
        assertThat(list.prices().get("mine"))
                .first()
                .satisfies(price -> assertThat(price.dated()).isEqualTo(LocalDate.of(2026, 11, 30)));
        var openai = ProviderTable.shipped().withPrices(list.prices()).get("openai");
        assertThat(Objects.requireNonNull(openai.priceOf("gpt-4o")).out()).isEqualByComparingTo("2");
        assertThat(openai.priceOf("gpt-5"))
                .as("what the list does not name")
                .isEqualTo(ProviderTable.shipped().get("openai").priceOf("gpt-5"));
    }

    @Test
    void what_is_wrong_in_a_list_is_named() {
        Map.of(
                        "{", "it is not JSON",
                        "", "it is no",
                        "[]", "it is no JSON object",
                        "{\"prices\":[]}", "needs the day",
                        "{\"dated\":\"2026-12-01\"}", "no list called prices",
                        "{\"dated\":\"2026-12-01\",\"prices\":[],\"valid\":1}", "nobody reads: valid",
                        "{\"dated\":\"2026-12-01\",\"prices\":[{\"model\":\"gpt\",\"in\":1,\"out\":1}]}",
                                "not provider:model",
                        "{\"dated\":\"2026-12-01\",\"prices\":[{\"model\":\"a:b\",\"in\":-1,\"out\":1}]}",
                                "a price that is none",
                        "{\"dated\":\"2026-12-01\",\"prices\":[{\"model\":\"a:b\",\"in\":1}]}", "needs in and out")
                .forEach((text, complaint) -> assertThatThrownBy(() -> PriceList.read(text.getBytes(UTF_8), "it"))
                        .as(text)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(complaint));
        assertThatThrownBy(() -> PriceList.read(new byte[PriceList.MAX_BYTES + 1], "it"))
                .hasMessageContaining("longer than 1 MiB");
    }

    @Test
    void a_list_is_believed_by_its_exact_bytes_and_by_any_of_the_keys() throws GeneralSecurityException {
        var publisher = pair();
        var another = pair();
        byte[] list = LIST.getBytes(UTF_8);
        String signature = sign(publisher, list);
        var both = PriceListKeys.read(pem(another) + pem(publisher));

        assertThat(both.haveSigned(list, signature + "\n")).isTrue();
        assertThat(PriceListKeys.read(base64(another) + ", " + base64(publisher))
                        .haveSigned(list, signature))
                .isTrue();
        assertThat(PriceListKeys.read(base64(another)).haveSigned(list, signature))
                .isFalse();
        assertThat(both.haveSigned((LIST + " ").getBytes(UTF_8), signature)).isFalse();
        for (String none : List.of("", "!", "AAAA", base64(publisher))) {
            assertThat(both.haveSigned(list, none)).as(none).isFalse();
        }
    }

    @Test
    void what_is_no_key_is_refused() throws GeneralSecurityException {
        var elliptic = KeyPairGenerator.getInstance("EC").generateKeyPair();

        for (String none : List.of("", " ,", "a-secret", "AAAA", base64(elliptic))) {
            assertThatThrownBy(() -> PriceListKeys.read(none))
                    .as(none)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("public keys");
        }
    }

    @Test
    void the_schema_names_every_member_that_is_read() throws IOException {
        var schema = resource("prices.schema.json").path("properties");

        assertThat(names(schema)).containsAll(names(resource("prices.json")));
        for (var price : resource("prices.json").path("prices")) {
            assertThat(names(schema.path("prices").path("items").path("properties")))
                    .containsAll(names(price));
        }
    }

    private static KeyPair pair() throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(PriceListKeys.ALGORITHM).generateKeyPair();
    }

    private static String base64(KeyPair pair) {
        return Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
    }

    private static String pem(KeyPair pair) {
        return "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n".formatted(base64(pair));
    }

    private static String sign(KeyPair pair, byte[] content) throws GeneralSecurityException {
        var signer = Signature.getInstance(PriceListKeys.ALGORITHM);
        signer.initSign(pair.getPrivate());
        signer.update(content);
        return Base64.getEncoder().encodeToString(signer.sign());
    }

    private static List<String> names(JsonNode node) {
        return node.properties().stream().map(Map.Entry::getKey).toList();
    }

    private static JsonNode resource(String name) throws IOException {
        try (var text = PriceList.class.getResourceAsStream("/models/" + name)) {
            return Json.parse(text == null ? new byte[0] : text.readAllBytes());
        }
    }
}
