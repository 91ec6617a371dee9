package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The device flow: a program gets a token of a person's who allows it at the page. */
class AllowingDevicesTest {

    private static final String GRANT =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=";

    private final MovableClock clock = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private Persons persons;

    @SuppressWarnings("NullAway.Init")
    private RunningRegistry.Answer begun;

    private String session = "";

    @BeforeEach
    void start() {
        registry = RunningRegistry.startInProduction(clock);
        persons = Persons.of(registry);
        session = persons.come("kim", "\"role\":\"operator\"");
        begun = registry.post("/device/code", "client_id=molecule+at+a+desk", null);
    }

    @AfterEach
    void stop() {
        persons.close();
        registry.close();
    }

    @Test
    void a_program_waits_is_allowed_and_gets_its_token_once() {
        String code = begun.text("user_code");
        assertThat(code).matches("[B-Z]{4}-[B-Z]{4}");
        assertThat(ask()).hasToString("400 {\"error\":\"authorization_pending\"}");
        assertThat(ask()).hasToString("400 {\"error\":\"slow_down\"}");
        assertThat(registry.get("/device/requests/" + code, session).text("name"))
                .isEqualTo("molecule at a desk");

        var allowed = registry.post(
                "/device/requests/" + code.toLowerCase(Locale.ROOT).replace("-", ""),
                "{\"allow\":true,\"role\":\"operator\",\"days\":30}",
                session);
        assertThat(allowed).hasToString("200 {\"status\":\"allowed\"}");
        clock.advance(Duration.ofSeconds(5));
        var granted = ask();

        assertThat(granted.text("token_type")).isEqualTo("Bearer");
        assertThat(granted.text("expires_in")).isEqualTo("2592000");
        String token = granted.text("access_token");
        assertThat(registry.get("/people/me", token).text("login")).isEqualTo("kim");
        assertThat(ask()).hasToString("400 {\"error\":\"expired_token\"}");
        assertThat(registry.delete("/people/me/tokens/current", token).status()).isEqualTo(200);
        assertThat(registry.get("/people/me", token).status()).isEqualTo(401);
    }

    @Test
    void one_that_is_denied_or_late_gets_nothing() {
        registry.post("/device/requests/" + begun.text("user_code"), "{\"allow\":false}", session);
        assertThat(ask()).hasToString("400 {\"error\":\"access_denied\"}");

        begun = registry.post("/device/code", "{\"client_id\":\"molecule\"}", null);
        clock.advance(Duration.ofMinutes(11));
        assertThat(ask()).hasToString("400 {\"error\":\"expired_token\"}");
        assertThat(registry.post("/device/requests/" + begun.text("user_code"), "{\"allow\":true}", session)
                        .status())
                .isEqualTo(404);
    }

    @Test
    void nobody_allows_more_than_they_may_and_no_token_allows_another() {
        String path = "/device/requests/" + begun.text("user_code");
        String token = registry.post("/people/me/tokens", "{\"name\":\"t\",\"role\":\"operator\"}", session)
                .text("auth_token");

        assertThat(registry.post(path, "{\"allow\":true,\"role\":\"owner\"}", session)
                        .status())
                .isEqualTo(403);
        assertThat(registry.post(path, "{\"allow\":true}", token).status()).isEqualTo(403);
        assertThat(registry.post(path, "{\"allow\":true}", null).status()).isEqualTo(401);
        assertThat(ask()).hasToString("400 {\"error\":\"authorization_pending\"}");
    }

    private RunningRegistry.Answer ask() {
        return registry.post("/device/token", GRANT + begun.text("device_code"), null);
    }
}
