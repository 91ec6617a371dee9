package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.registry.RunningRegistry.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code POST /token}: passports by RFC 8693, and what they say at {@code GET /explain}. */
class ExchangingTokensTest {

    private static final String GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
    private static final String JWT = "urn:ietf:params:oauth:token-type:jwt";
    private static final String ACCESS = "urn:ietf:params:oauth:token-type:access_token";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static String lead;

    @SuppressWarnings("NullAway.Init")
    private static String writer;

    @SuppressWarnings("NullAway.Init")
    private static String leadsToken;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(new MovableClock());
        lead = registry.create("Lead");
        writer = registry.child("Writer", lead);
        leadsToken = registry.mint(lead);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void a_person_begins_one_and_the_agent_hands_a_narrower_one_on() throws IOException {
        var first = begun("scope", "read write", "budget", "0.40");

        assertThat(first.status()).as(first.body()).isEqualTo(200);
        assertThat(first.text("issued_token_type")).isEqualTo(JWT);
        assertThat(first.json().path("token_type").asText()).isEqualTo("N_A");
        assertThat(first.text("says")).startsWith("admin-token asked Lead: may use read and write, $0.40 left");

        var next = handedOn(first.text("access_token"), leadsToken, writer, "scope", "read");

        assertThat(next.status()).isEqualTo(200);
        assertThat(next.text("says")).startsWith("admin-token asked Lead, Lead asked Writer: may use read, $0.40 left");
        var claims = claims(next.text("access_token"));
        assertThat(claims.path("aud").asText()).isEqualTo(writer);
        assertThat(claims.path("act").path("sub").asText()).isEqualTo(lead);
        assertThat(claims.path("sub").asText()).isEqualTo("admin-token");
        assertThat(handedOn(first.text("access_token"), leadsToken, writer, "scope", "read")
                        .text("access_token"))
                .as("the same for the same")
                .isEqualTo(next.text("access_token"));
    }

    @Test
    void nobody_else_hands_it_on_and_nothing_becomes_wider() {
        String passport = begun("scope", "read").text("access_token");

        refused(handedOn(passport, registry.mint(writer), lead), "invalid_grant", "another workspace's");
        refused(handedOn(passport, leadsToken, writer, "scope", "run"), "invalid_grant", "does not allow run");
        refused(handedOn(passport, leadsToken, lead), "invalid_grant", "in a circle: admin-token → Lead → Lead");
        refused(
                handedOn(passport, leadsToken, registry.child("Far", writer)),
                "invalid_grant",
                "cannot communicate per hierarchy rules");
        refused(handedOn(passport, "nobodys", writer), "invalid_client", "own token");
        refused(handedOn(passport, ADMIN, writer), "invalid_client", "own token");
        refused(
                post(leadsToken, "subject_token", leadsToken, "subject_token_type", ACCESS, "audience", writer),
                "invalid_client",
                "may ask for work");
    }

    static Stream<String> forged() {
        return Stream.of(
                "{\"alg\":\"none\",\"typ\":\"molecule-passport+jwt\",\"kid\":\"KID\"}",
                "{\"alg\":\"HS256\",\"typ\":\"molecule-passport+jwt\",\"kid\":\"KID\"}",
                "{\"alg\":\"EdDSA\",\"typ\":\"molecule-pair+jwt\",\"kid\":\"KID\"}",
                "{\"alg\":\"EdDSA\",\"typ\":\"molecule-passport+jwt\",\"kid\":\"another\"}",
                "{\"alg\":\"EdDSA\",\"typ\":\"molecule-passport+jwt\",\"kid\":\"KID\",\"jwk\":{}}");
    }

    @ParameterizedTest
    @MethodSource("forged")
    void whatever_else_is_signed_or_not_is_none(String header) throws IOException {
        String[] parts = begun().text("access_token").split("\\.");
        String kid =
                Json.parse(Base64.getUrlDecoder().decode(parts[0])).path("kid").asText();
        String other = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(header.replace("KID", kid).getBytes(StandardCharsets.UTF_8));

        refused(
                handedOn(other + "." + parts[1] + "." + parts[2], leadsToken, writer),
                "invalid_grant",
                "no passport of this platform");
    }

    @Test
    void one_that_was_altered_is_none() throws IOException {
        String[] parts = begun("scope", "read").text("access_token").split("\\.");
        String wider = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8)
                .replace("\"read\"", "\"read\",\"run\"");
        String payload = Base64.getUrlEncoder().withoutPadding().encodeToString(wider.getBytes(StandardCharsets.UTF_8));

        refused(
                handedOn(parts[0] + "." + payload + "." + parts[2], leadsToken, writer),
                "invalid_grant",
                "no passport of this platform");
        refused(
                handedOn(parts[0] + "." + parts[1] + "." + parts[2] + "=", leadsToken, writer),
                "invalid_grant",
                "no pass");
        refused(handedOn("x".repeat(5_000), leadsToken, writer), "invalid_grant", "no passport");
    }

    static Stream<String[]> bad() {
        return Stream.of(
                new String[] {"grant_type", "password", "unsupported_grant_type"},
                new String[] {"audience", "nobody", "invalid_target"},
                new String[] {"audience", "7d9f3f0e-2f1c-4f0e-9a53-2a6a4a1a1a1a", "invalid_target"},
                new String[] {"subject_token_type", "urn:other", "invalid_request"},
                new String[] {"subject_token", "", "invalid_request"},
                new String[] {"requested_token_type", ACCESS, "invalid_request"},
                new String[] {"scope", "a".repeat(65), "invalid_scope"},
                new String[] {"budget", "-1", "invalid_request"},
                new String[] {"budget", "1e9", "invalid_request"},
                new String[] {"deadline", "tomorrow", "invalid_request"},
                new String[] {"deadline", "2020-01-01T00:00:00Z", "invalid_request"});
    }

    @ParameterizedTest
    @MethodSource("bad")
    void what_is_wrong_is_said_by_its_code(String name, String value, String code) {
        assertThat(begun(name, value).text("error")).isEqualTo(code);
    }

    @Test
    void it_can_be_asked_about_in_words() {
        String passport = begun("scope", "read").text("access_token");

        var says =
                registry.get("/explain?caller=person&target=%s&tool=run&passport=%s".formatted(lead, passport), ADMIN);

        assertThat(says.text("passport")).startsWith("admin-token asked Lead: may use read");
        assertThat(says.text("tool")).contains("run is not among what the passport allows");
        assertThat(registry.get("/explain?caller=person&target=%s&passport=x.y.z".formatted(lead), ADMIN)
                        .status())
                .isEqualTo(403);
    }

    private static Answer begun(String... more) {
        return post(ADMIN, with(more, "subject_token", ADMIN, "subject_token_type", ACCESS, "audience", lead));
    }

    private static Answer handedOn(String passport, String bearer, String target, String... more) {
        return post(bearer, with(more, "subject_token", passport, "subject_token_type", JWT, "audience", target));
    }

    /** The former stand in place of those of the same name. */
    private static String[] with(String[] more, String... others) {
        var all = new LinkedHashMap<String, String>();
        for (int i = 0; i < others.length; i += 2) {
            all.put(others[i], others[i + 1]);
        }
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all.entrySet().stream()
                .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
                .toArray(String[]::new);
    }

    private static Answer post(String bearer, String... form) {
        var body = new StringBuilder();
        boolean named = false;
        for (int i = 0; i < form.length; i += 2) {
            named |= form[i].equals("grant_type");
            body.append('&').append(form[i]).append('=').append(URLEncoder.encode(form[i + 1], StandardCharsets.UTF_8));
        }
        String grant = named ? "" : "grant_type=" + URLEncoder.encode(GRANT, StandardCharsets.UTF_8);
        return registry.send(
                HttpMethod.POST, "/token", grant + body, bearer, "Content-Type", "application/x-www-form-urlencoded");
    }

    private static void refused(Answer answer, String code, String says) {
        assertThat(answer.text("error")).isEqualTo(code);
        assertThat(answer.text("error_description")).contains(says);
        assertThat(answer.status()).isIn(400, 401);
    }

    private static JsonNode claims(String token) throws IOException {
        return Json.parse(Base64.getUrlDecoder().decode(token.split("\\.")[1]));
    }
}
