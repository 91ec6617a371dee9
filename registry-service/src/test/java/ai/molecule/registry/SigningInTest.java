package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code /session}: a page shows the admin token once and is known by a cookie from then on. */
class SigningInTest {

    private static final MovableClock CLOCK = new MovableClock();
    private static final String PROOF = "X-Molecule-CSRF";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static WebClient client;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(CLOCK);
        client = WebClient.create(registry.vertx);
    }

    @AfterAll
    static void stop() {
        client.close();
        registry.close();
    }

    @BeforeEach
    void startANewMinute() {
        registry.sql("DELETE FROM sessions");
        CLOCK.advance(Duration.ofMinutes(1));
    }

    @Test
    void the_admin_token_is_exchanged_for_a_cookie_that_scripts_and_other_sites_cannot_use() {
        var answer = exchange(ADMIN);

        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.getHeader("Set-Cookie"))
                .startsWith("molecule_session=")
                .contains("Max-Age=43200", "Path=/", "HTTPOnly", "SameSite=Strict")
                .doesNotContain("Secure");
        assertThat(answer.getHeader("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.bodyAsString()).doesNotContain(cookieOf(answer));
        assertThat(registry.count("sessions")).isEqualTo(1);
        assertThat(registry.get("/session", null)).hasToString("200 {\"required\":true,\"signed_in\":false}");
        assertThat(withCookie(HttpMethod.GET, "/session", tokenOf(answer)).text("signed_in"))
                .isEqualTo("true");
    }

    @Test
    void over_tls_the_cookie_never_travels_without() {
        var answer = client.post(registry.verticle.actualPort(), "127.0.0.1", "/session")
                .putHeader("Host", "127.0.0.1")
                .putHeader("Origin", "https://127.0.0.1")
                .sendBuffer(Buffer.buffer("{\"token\":\"" + ADMIN + "\"}"))
                .await();

        assertThat(answer.getHeader("Set-Cookie")).contains("Secure");
    }

    @Test
    void a_session_is_an_administrator_and_no_agent() {
        String id = registry.create("Agent");
        registry.token(id);
        String token = tokenOf(exchange(ADMIN));

        assertThat(withCookie(HttpMethod.GET, "/workspaces", token).status()).isEqualTo(200);
        assertThat(withCookie(HttpMethod.GET, "/workspaces/" + id + "/tokens", token)
                        .status())
                .isEqualTo(200);
        assertThat(withCookie(HttpMethod.GET, "/workspaces/" + id + "/state", token)
                        .status())
                .isEqualTo(401);
        assertThat(withCookie(HttpMethod.DELETE, "/workspaces/" + id, token).status())
                .isEqualTo(200);
        assertThat(holderOf(token)).isEqualTo(Holder.SESSION);
    }

    /** Browsers send it to every port of the machine, so to whatever agents serve there. */
    @Test
    void the_cookie_alone_opens_nothing_whatever_its_thief_says_besides() {
        String cookie = cookieOf(exchange(ADMIN));

        for (String[] said : new String[][] {
            {}, {PROOF, "1"}, {PROOF, cookie}, {"Sec-Fetch-Site", "same-origin"}, {"Authorization", "Bearer " + cookie}
        }) {
            var headers = new String[said.length + 2];
            headers[0] = "Cookie";
            headers[1] = "molecule_session=" + cookie;
            System.arraycopy(said, 0, headers, 2, said.length);
            for (String path : new String[] {"/workspaces", "/people"}) {
                assertThat(registry.send(HttpMethod.GET, path, null, null, headers)
                                .status())
                        .as(path + " " + String.join(" ", said))
                        .isEqualTo(401);
            }
            assertThat(registry.send(HttpMethod.POST, "/workspaces", "{\"name\":\"Planted\"}", null, headers)
                            .status())
                    .isEqualTo(401);
        }
    }

    @Test
    void it_counts_for_no_page_of_another_origin_listed_or_not() {
        String token = tokenOf(exchange(ADMIN));

        for (String site : new String[] {"same-site", "cross-site"}) {
            assertThat(withCookie(HttpMethod.GET, "/workspaces", token, "Sec-Fetch-Site", site)
                            .status())
                    .isEqualTo(401);
        }
        assertThat(withCookie(HttpMethod.GET, "/workspaces", token, "Origin", "http://localhost:3000")
                        .status())
                .isEqualTo(401);
        assertThat(withCookie(HttpMethod.GET, "/workspaces", token, "Origin", "http://evil.example")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void signing_out_ends_it_everywhere_at_once() {
        String token = tokenOf(exchange(ADMIN));
        assertThat(withCookie(HttpMethod.GET, "/workspaces", token).status()).isEqualTo(200);

        assertThat(withCookie(HttpMethod.DELETE, "/session", token)).hasToString("200 {\"status\":\"signed out\"}");

        assertThat(withCookie(HttpMethod.GET, "/workspaces", token).status()).isEqualTo(401);
        assertThat(holderOf(token)).isEqualTo(Holder.NOBODY);
        assertThat(withCookie(HttpMethod.DELETE, "/session", token).status()).isEqualTo(200);
    }

    @Test
    void twelve_hours_later_it_is_over_and_then_forgotten() {
        String token = tokenOf(exchange(ADMIN));

        CLOCK.advance(Duration.ofHours(12).minusSeconds(1));
        assertThat(holderOf(token)).isEqualTo(Holder.SESSION);
        CLOCK.advance(Duration.ofSeconds(1));
        assertThat(holderOf(token)).isEqualTo(Holder.NOBODY);
    }

    @Test
    void another_admin_token_ends_what_the_old_one_opened() {
        exchange(ADMIN);
        try (var anew = RunningRegistry.start("DATABASE_URL", registry.databaseUrl, "ADMIN_TOKEN", "another-one")) {
            await().until(() -> anew.count("sessions") == 0);
        }
    }

    @Test
    void wrong_tokens_are_refused_and_counted() {
        for (int i = 0; i < 20; i++) {
            assertThat(exchange("guess-" + i).statusCode()).isEqualTo(401);
        }
        var refused = exchange(ADMIN);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.getHeader("Retry-After")).isNotNull();
        assertThat(refused.getHeader("Set-Cookie")).isNull();
        assertThat(registry.count("sessions")).isZero();
    }

    @Test
    void what_is_no_token_opens_nothing() {
        for (String body : new String[] {"", "[]", "{\"token\":1}", "{\"token\":\"\\u0000\"}"}) {
            assertThat(registry.post("/session", body, null)).hasToString("400 {\"error\":\"invalid request body\"}");
        }
        assertThat(registry.post("/session", "{}", null).status()).isEqualTo(401);
    }

    @Test
    void where_no_admin_token_is_set_there_is_nothing_to_sign_in_to() {
        try (var bare = RunningRegistry.startBare()) {
            assertThat(bare.get("/session", null)).hasToString("200 {\"required\":false,\"signed_in\":false}");
            assertThat(bare.post("/session", "{\"token\":\"null\"}", null).status())
                    .isEqualTo(401);
        }
    }

    private static HttpResponse<Buffer> exchange(String token) {
        return client.post(registry.verticle.actualPort(), "127.0.0.1", "/session")
                .sendBuffer(Buffer.buffer("{\"token\":\"" + token + "\"}"))
                .await();
    }

    private static String cookieOf(HttpResponse<Buffer> exchange) {
        String cookie = String.valueOf(exchange.getHeader("Set-Cookie"));
        return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
    }

    private static String tokenOf(HttpResponse<Buffer> exchange) {
        return cookieOf(exchange) + "." + exchange.bodyAsJsonObject().getString("csrf_token");
    }

    private static RunningRegistry.Answer withCookie(HttpMethod method, String path, String token, String... headers) {
        return registry.send(method, path, method == HttpMethod.POST ? "" : null, null, Persons.shown(token, headers));
    }

    private static Holder holderOf(String token) {
        return registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(Credentials.hashOf(token), null))
                .await()
                .holder();
    }
}
