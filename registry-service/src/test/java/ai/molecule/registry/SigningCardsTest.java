package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cards are signed by the organisation's key; checked with the JDK's cryptography and a canonical form written here once more. */
class SigningCardsTest {

    private static final String PATH = "/.well-known/agent-card.json";
    private static final String FRONT = "https://front.example";

    /** All that libraries read each in its own way: empty members, defaults, nulls, what no version knows, and more than ASCII. */
    private static final String ODD = """
            {"name":"Schr\u00f6dinger \ud83d\ude00","description":"","version":"1.2.0","url":"http://10.0.0.7:8000","iconUrl":"","documentationUrl":7,
             "provider":{"organization":"Ours","url":"https://ours.example","vat":"1"},
             "capabilities":{"streaming":false,"extensions":[
                {"uri":"urn:x","description":"","required":false,"params":{"rate":0.000001,"\ufb33":1,"\ud83d\ude02":2,"size":1e21}},
                {"uri":"urn:y","required":true,"params":{}},{"description":"nameless"}]},
             "skills":[{"id":"prose","tags":[],"examples":[],"inputModes":[""]},"nonsense"],"defaultInputModes":[],"secret":null}""";

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry open;

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry closed;

    @BeforeAll
    static void start() {
        open = RunningRegistry.startAt(CLOCK, "EXTERNAL_PLATFORM_URL", FRONT + "/");
        closed = RunningRegistry.startInProduction("EXTERNAL_PLATFORM_URL", FRONT);
    }

    @AfterAll
    static void stop() {
        open.close();
        closed.close();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"0.3", "1.0"})
    void each_is_signed_as_it_is_shown(@Nullable String version) {
        var card = card(open, registered(open, ODD), version, ADMIN);

        assertThat(card.toString()).doesNotContain("\"\"", "[]", "{}", "null", "false", "vat", "nameless");
        assertThat(isSigned(card, Json.MAPPER.createObjectNode().setAll(card), open))
                .isTrue();
        var header = header(card, 0);
        assertThat(header.path("alg").asText()).isEqualTo("EdDSA");
        assertThat(header.path("typ").asText()).isEqualTo("JOSE");
        assertThat(header.path("jku").asText()).isEqualTo(FRONT + "/.well-known/jwks.json");
        assertThat(isSigned(card, card.deepCopy().put("name", "Somebody else"), open))
                .isFalse();
        assertThat(card(open, lastId, version, ADMIN)).isEqualTo(card);
    }

    @Test
    void of_1_0_there_is_one_text_that_all_read_alike_also_where_a_credential_is_asked_for() {
        assertThat(card(open, registered(open, ODD), "1.0", ADMIN).path("signatures"))
                .hasSize(1);
        var locked = card(closed, registered(closed, ODD), "1.0", ADMIN);

        assertThat(locked.has("securityRequirements")).isTrue();
        assertThat(locked.path("signatures")).hasSize(1);
        assertThat(isSigned(locked, locked, closed)).isTrue();
    }

    @Test
    void one_for_both_is_also_signed_as_who_speaks_1_0_alone_reads_it() {
        var both = card(closed, registered(closed, ODD), null, ADMIN);
        var read = card(closed, lastId, "1.0", ADMIN).deepCopy();
        read.remove(List.of("securitySchemes", "securityRequirements"));

        assertThat(isSigned(both, both, closed)).isTrue();
        assertThat(isSigned(both, read, closed)).isTrue();
    }

    @Test
    void where_an_agent_says_what_is_empty_either_reading_is_signed() {
        String card = ODD.replace(
                "\"params\":{}", "\"params\":{\"modes\":[],\"level\":\"\",\"deep\":{\"none\":null},\"n\":0}");
        var shown = card(open, registered(open, card), "1.0", ADMIN);

        assertThat(shown.at("/capabilities/extensions/1/params").toString())
                .isEqualTo("{\"n\":0,\"deep\":{\"none\":null},\"level\":\"\",\"modes\":[]}");
        assertThat(shown.path("signatures")).hasSize(2);
        assertThat(isSigned(shown, shown, open)).isTrue();
        var cleaned = shown.deepCopy();
        ((ObjectNode) cleaned.at("/capabilities/extensions/1"))
                .putObject("params")
                .put("n", 0);
        assertThat(isSigned(shown, cleaned, open)).isTrue();
    }

    @Test
    void what_the_agent_signed_stands_inside_as_it_was_and_is_no_longer_on_top() throws IOException {
        String signed = ODD.replace("\"secret\":null", "\"signatures\":[{\"protected\":\"p\",\"signature\":\"s\"}]");
        var shown = card(open, registered(open, signed), "1.0", ADMIN);

        var inside = shown.at("/capabilities/extensions/2");
        assertThat(inside.path("uri").asText()).isEqualTo("urn:molecule:a2a:origin-card");
        assertThat(canonical(Json.parse(inside.at("/params/card").asText().getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(canonical(Json.parse(signed.getBytes(StandardCharsets.UTF_8))));
        assertThat(shown.path("signatures").toString()).doesNotContain("\"s\"");
        assertThat(isSigned(shown, shown, open)).isTrue();
    }

    @Test
    void it_is_told_and_not_shown_to_who_may_not_see_the_agents_address() {
        String signed = ODD.replace("\"secret\":null", "\"signatures\":[{\"protected\":\"p\",\"signature\":\"s\"}]");
        String id = registered(closed, signed);
        String peer = closed.mint(closed.create("Peer", "\"external\":true"));

        var toThePeer = card(closed, id, "1.0", peer);

        assertThat(toThePeer.at("/capabilities/extensions/2/uri").asText()).isEqualTo("urn:molecule:a2a:origin-card");
        assertThat(toThePeer.toString()).doesNotContain("10.0.0.7", "\"params\":{\"card\"");
        assertThat(isSigned(toThePeer, toThePeer, closed)).isTrue();
        assertThat(card(closed, id, "1.0", ADMIN).toString()).contains("10.0.0.7");
    }

    @Test
    void one_with_a_number_that_nobody_can_write_alike_is_shown_without() {
        var shown = card(open, registered(open, ODD.replace("1e21", "1e999")), "1.0", ADMIN);

        assertThat(shown.has("signatures")).isFalse();
        assertThat(shown.path("name").asText()).startsWith("Schr");
    }

    @Test
    void the_organisations_card_and_its_catalog_are_signed_too() {
        try (var registry = RunningRegistry.start()) {
            registry.create("Root");

            var card =
                    (ObjectNode) registry.get(PATH, ADMIN, "A2A-Version", "1.0").json();
            var catalog =
                    (ObjectNode) registry.get("/.well-known/agents", ADMIN).json();

            assertThat(isSigned(card, card, registry)).isTrue();
            assertThat(header(card, 0).path("jku").asText())
                    .startsWith("http://")
                    .endsWith("/.well-known/jwks.json");
            assertThat(isSigned(catalog, catalog, registry)).isTrue();
            assertThat(catalog.path("signatures")).as("read in one way alone").hasSize(1);
            assertThat(header(catalog, 0).path("typ").asText()).isEqualTo("molecule-agents");
        }
    }

    @Test
    void after_the_key_was_changed_the_new_one_signs_and_the_old_one_is_known() {
        var before = card(open, registered(open, ODD), "1.0", ADMIN);

        open.post("/admin/keys/rotate", "", ADMIN);
        assertThat(card(open, lastId, "1.0", ADMIN))
                .as("published before it signs")
                .isEqualTo(before);
        CLOCK.advance(Duration.ofMinutes(2));
        var after = card(open, lastId, "1.0", ADMIN);

        assertThat(header(after, 0).path("kid")).isNotEqualTo(header(before, 0).path("kid"));
        assertThat(isSigned(after, after, open)).isTrue();
        assertThat(isSigned(before, before, open))
                .as("what is remembered of it")
                .isTrue();
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(open.get("/.well-known/jwks.json", null)
                        .json()
                        .path("retired")
                        .findValuesAsText("kid"))
                .contains(header(before, 0).path("kid").asText());
    }

    @SuppressWarnings("NullAway.Init")
    private static String lastId;

    private static String registered(RunningRegistry registry, String card) {
        lastId = registry.create("Row", "\"external\":true");
        var answer = registry.register(lastId, "https://127.0.0.1.nip.example", card, registry.mint(lastId));
        if (answer.status() != 200) {
            registry.sql("UPDATE workspaces SET agent_card = $2::text::jsonb WHERE id = $1::text::uuid", lastId, card);
        }
        return lastId;
    }

    private static ObjectNode card(
            RunningRegistry registry, String id, @Nullable String version, @Nullable String bearer) {
        String path = "/workspaces/" + id + PATH;
        return (ObjectNode)
                (version == null
                        ? registry.get(path, bearer).json()
                        : registry.get(path, bearer, "A2A-Version", version).json());
    }

    private static JsonNode header(JsonNode card, int index) {
        try {
            return Json.parse(Base64.getUrlDecoder()
                    .decode(card.path("signatures")
                            .path(index)
                            .path("protected")
                            .asText()));
        } catch (IOException noHeader) {
            throw new AssertionError(noHeader);
        }
    }

    /** Whether any of the card's signatures, by a key that is published, is of this text. */
    private static boolean isSigned(JsonNode card, ObjectNode text, RunningRegistry registry) {
        var signed = text.deepCopy();
        signed.remove("signatures");
        String payload = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(canonical(signed).getBytes(StandardCharsets.UTF_8));
        assertThat(card.path("signatures")).isNotEmpty();
        var keys = registry.get("/.well-known/jwks.json", null).json().path("keys");
        for (int i = 0; i < card.path("signatures").size(); i++) {
            var signature = card.path("signatures").path(i);
            var kid = header(card, i).path("kid");
            String x = StreamSupport.stream(keys.spliterator(), false)
                    .filter(key -> key.path("kid").equals(kid))
                    .findFirst()
                    .orElseThrow()
                    .path("x")
                    .asText();
            if (verifies(
                    x,
                    signature.path("protected").asText() + "." + payload,
                    signature.path("signature").asText())) {
                return true;
            }
        }
        return false;
    }

    private static boolean verifies(String x, String signed, String signature) {
        try {
            byte[] encoded = HexFormat.of()
                    .parseHex("302a300506032b6570032100"
                            + HexFormat.of().formatHex(Base64.getUrlDecoder().decode(x)));
            var verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            verifier.update(signed.getBytes(StandardCharsets.US_ASCII));
            return verifier.verify(Base64.getUrlDecoder().decode(signature));
        } catch (GeneralSecurityException noKey) {
            throw new AssertionError(noKey);
        }
    }

    /** RFC 8785, of the numbers that these tests have. */
    private static String canonical(JsonNode json) {
        if (json.isObject()) {
            var members = new TreeMap<String, JsonNode>();
            json.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
            List<String> written = new ArrayList<>();
            members.forEach((name, value) -> written.add(Json.text(name) + ":" + canonical(value)));
            return "{" + String.join(",", written) + "}";
        }
        if (json.isArray()) {
            List<String> written = new ArrayList<>();
            json.forEach(element -> written.add(canonical(element)));
            return "[" + String.join(",", written) + "]";
        }
        if (json.isNumber()) {
            return json.doubleValue() == 0.000001 ? "0.000001" : json.doubleValue() == 1e21 ? "1e+21" : json.asText();
        }
        return json.isTextual() ? Json.text(json.textValue()) : json.toString();
    }
}
