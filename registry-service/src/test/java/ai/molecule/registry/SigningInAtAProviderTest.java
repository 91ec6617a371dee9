package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.net.URI;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sign-in by OpenID Connect against a provider of the test's own: what is believed, and all that is not. */
class SigningInAtAProviderTest {

    private static final MovableClock CLOCK = new MovableClock();
    private static final Vertx VERTX = Vertx.vertx();
    private static final String REFUSED = "/ui#sign-in=refused";

    @SuppressWarnings("NullAway.Init")
    private static TestProvider provider;

    @SuppressWarnings("NullAway.Init")
    private static TestProvider other;

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static Persons persons;

    /** One that went to the provider's page. */
    private record Begun(Map<String, String> query, String browser, String csrfToken) {}

    @BeforeAll
    static void start() {
        provider = new TestProvider(VERTX, CLOCK);
        other = new TestProvider(VERTX, CLOCK);
        registry = RunningRegistry.startInProduction(
                CLOCK,
                "MOLECULE_OIDC_ISSUER",
                provider.issuer(),
                "MOLECULE_OIDC_CLIENT_ID",
                TestProvider.CLIENT,
                "MOLECULE_OIDC_CLIENT_SECRET",
                TestProvider.SECRET,
                "MOLECULE_OIDC_NAME",
                "House",
                "MOLECULE_OIDC_2_ISSUER",
                other.issuer(),
                "MOLECULE_OIDC_2_CLIENT_ID",
                TestProvider.CLIENT,
                "MOLECULE_OIDC_2_NAME",
                "Other");
        persons = Persons.of(registry);
    }

    @AfterAll
    static void stop() {
        persons.close();
        registry.close();
        provider.close();
        other.close();
        VERTX.close().await();
    }

    @BeforeEach
    void invite() {
        CLOCK.advance(Duration.ofMinutes(2));
        registry.sql("DELETE FROM people");
        registry.post("/people", "{\"login\":\"kim@example.org\",\"role\":\"operator\"}", ADMIN);
        provider.claims = same -> same;
        provider.idToken = same -> same;
    }

    @Test
    void an_invited_person_signs_in_and_is_known_by_the_subject_from_then_on() {
        var begun = begin();
        assertThat(begun.query)
                .containsEntry("response_type", "code")
                .containsEntry("code_challenge_method", "S256")
                .containsEntry("scope", "openid email profile");

        var back = comeBack(begun);

        assertThat(back.getHeader("Location")).isEqualTo("/ui");
        String session = session(begun, back);
        assertThat(registry.get("/people/me", session).text("login")).isEqualTo("kim@example.org");
        assertThat(provider.lastForm)
                .containsKeys("code_verifier", "redirect_uri")
                .containsEntry("code", "a-code");
        assertThat(provider.lastForm.get("authorization")).startsWith("Basic ");
        provider.claims = builder -> builder.claim("email", "moved@example.org");
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo("/ui");
        provider.claims = builder -> builder.subject("another").claim("email", "kim@example.org");
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);
    }

    @Test
    void an_address_that_the_provider_never_saw_work_is_nobodys() {
        provider.claims = builder -> builder.claim("email_verified", false);

        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);
    }

    @Test
    void an_answer_counts_once_in_the_browser_that_began_it_and_for_ten_minutes() {
        var begun = begin();
        assertThat(comeBack(begun.query, "", "iss", provider.issuer()).getHeader("Location"))
                .isEqualTo(REFUSED);
        assertThat(comeBack(begun.query, begin().browser, "iss", provider.issuer())
                        .getHeader("Location"))
                .isEqualTo(REFUSED);
        assertThat(comeBack(begun).getHeader("Location")).isEqualTo("/ui");
        assertThat(comeBack(begun).getHeader("Location")).isEqualTo(REFUSED);

        var late = begin();
        CLOCK.advance(Duration.ofMinutes(11));
        assertThat(comeBack(late).getHeader("Location")).isEqualTo(REFUSED);
    }

    @Test
    void another_providers_answer_is_not_believed_and_its_code_goes_nowhere() {
        provider.lastForm.clear();

        assertThat(comeBack(begin().query, begin().browser, "iss", other.issuer())
                        .getHeader("Location"))
                .isEqualTo(REFUSED);
        var begun = begin();
        assertThat(comeBack(begun.query, begun.browser, "iss", other.issuer()).getHeader("Location"))
                .isEqualTo(REFUSED);
        var unnamed = begin();
        assertThat(comeBack(unnamed.query, unnamed.browser).getHeader("Location"))
                .isEqualTo(REFUSED);
        var mixed = begin();
        var atTheOther = persons.send(
                HttpMethod.GET,
                "/sign-in/other/callback?code=c&state=" + mixed.query.get("state") + "&iss=" + other.issuer(),
                "",
                "Cookie",
                "molecule_sign_in=" + mixed.browser);

        assertThat(atTheOther.getHeader("Location")).isEqualTo(REFUSED);
        assertThat(provider.lastForm).isEmpty();
        assertThat(other.lastForm).isEmpty();
    }

    @Test
    void what_was_signed_for_another_time_place_or_sign_in_is_refused() {
        for (UnaryOperator<JWTClaimsSet.Builder> wrong : List.<UnaryOperator<JWTClaimsSet.Builder>>of(
                builder -> builder.issuer(other.issuer()),
                builder -> builder.audience("somebody-else"),
                builder -> builder.audience(List.of(TestProvider.CLIENT, "somebody-else")),
                builder -> builder.claim("azp", "somebody-else"),
                builder -> builder.claim("nonce", "of another"),
                builder -> builder.claim("nonce", null),
                builder -> builder.subject(null),
                builder -> builder.expirationTime(null),
                builder -> builder.expirationTime(Date.from(CLOCK.instant().minusSeconds(180))),
                builder -> builder.issueTime(Date.from(CLOCK.instant().plusSeconds(180))),
                builder -> builder.notBeforeTime(Date.from(CLOCK.instant().plusSeconds(180))))) {
            provider.claims = wrong;

            assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);
        }
    }

    @Test
    void clocks_may_differ_by_less_than_two_minutes() {
        provider.claims = builder -> builder.issueTime(Date.from(CLOCK.instant().plusSeconds(100)));
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo("/ui");

        provider.claims =
                builder -> builder.expirationTime(Date.from(CLOCK.instant().minusSeconds(100)));
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo("/ui");
    }

    @Test
    void no_algorithm_without_a_key_of_the_providers_is_taken() throws JOSEException {
        var claims = new JWTClaimsSet.Builder()
                .issuer(provider.issuer())
                .subject("subject-1")
                .audience(TestProvider.CLIENT)
                .issueTime(Date.from(CLOCK.instant()))
                .expirationTime(Date.from(CLOCK.instant().plusSeconds(300)))
                .claim("email", "kim@example.org")
                .claim("email_verified", true);
        provider.idToken =
                token -> new PlainJWT(claims.claim("nonce", provider.nonce).build()).serialize();
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);

        provider.idToken = token -> {
            try {
                var mac = new SignedJWT(
                        new JWSHeader.Builder(JWSAlgorithm.HS256)
                                .keyID(provider.key.getKeyID())
                                .build(),
                        claims.claim("nonce", provider.nonce).build());
                mac.sign(new MACSigner(
                        provider.key.toRSAPublicKey().getEncoded())); // the public key as if it were a secret
                return mac.serialize();
            } catch (JOSEException unfit) {
                throw new IllegalStateException(unfit);
            }
        };
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);

        var published = provider.key;
        provider.idToken = same -> same;
        provider.key = TestProvider.newKey(published.getKeyID());
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);
        provider.key = published;
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo("/ui");
    }

    @Test
    void a_key_that_is_new_is_fetched_and_strangers_have_it_fetched_no_oftener_than_twice_a_minute() {
        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo("/ui");
        CLOCK.advance(Duration.ofMinutes(1));
        provider.key = TestProvider.newKey("two");
        provider.published = new JWKSet(List.of(provider.key.toPublicJWK()));

        assertThat(comeBack(begin()).getHeader("Location")).isEqualTo("/ui");

        int read = provider.keysRead.get();
        var published = provider.key;
        provider.key = TestProvider.newKey("of-nobody");
        for (int i = 0; i < 2; i++) {
            assertThat(comeBack(begin()).getHeader("Location")).isEqualTo(REFUSED);
        }
        provider.key = published;
        assertThat(provider.keysRead.get()).isEqualTo(read);
    }

    @Test
    void who_signs_out_here_is_led_to_sign_out_there() {
        String session = signIn();

        var out = persons.send(HttpMethod.DELETE, "/session", "", Persons.shown(session));

        String url = new JsonObject(out.bodyAsString()).getString("logout_url");
        assertThat(url).startsWith(provider.issuer() + "/end?");
        assertThat(TestProvider.form(URI.create(url).getRawQuery()))
                .containsKeys("id_token_hint", "post_logout_redirect_uri")
                .containsEntry("client_id", TestProvider.CLIENT);
        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
    }

    @Test
    void who_signs_out_there_is_signed_out_here() {
        provider.claims = builder -> builder.claim("sid", "session-a");
        String first = signIn();
        provider.claims = builder -> builder.claim("sid", "session-b");
        String second = signIn();

        assertThat(signedOut(
                        provider.logoutToken(builder -> builder.subject(null).claim("sid", "session-a"))))
                .isEqualTo("200 {\"status\":\"signed out\"}");
        assertThat(registry.get("/people/me", first).status()).isEqualTo(401);
        assertThat(registry.get("/people/me", second).status()).isEqualTo(200);

        assertThat(signedOut(provider.logoutToken(builder -> builder.subject("somebody-else"))))
                .startsWith("200 ");
        assertThat(registry.get("/people/me", second).status()).isEqualTo(200);
        assertThat(signedOut(provider.logoutToken(same -> same))).startsWith("200 ");
        assertThat(registry.get("/people/me", second).status()).isEqualTo(401);
    }

    @Test
    void a_logout_token_counts_once_and_only_as_its_provider_made_it_for_us_and_now() {
        String session = signIn();
        var published = provider.key;
        provider.key = TestProvider.newKey(published.getKeyID());
        String forged = provider.logoutToken(same -> same);
        provider.key = published;
        for (String wrong : List.of(
                "",
                "x.y.z",
                forged,
                provider.token(),
                provider.logoutToken("at+jwt", same -> same),
                provider.logoutToken(builder -> builder.issuer(other.issuer())),
                provider.logoutToken(builder -> builder.audience("somebody-else")),
                provider.logoutToken(builder -> builder.claim("nonce", "n")),
                provider.logoutToken(builder -> builder.claim("events", null)),
                provider.logoutToken(builder -> builder.claim("events", Map.of("another", Map.of()))),
                provider.logoutToken(builder ->
                        builder.claim("events", Map.of("http://schemas.openid.net/event/backchannel-logout", true))),
                provider.logoutToken(builder -> builder.jwtID(null)),
                provider.logoutToken(builder -> builder.subject(null)),
                provider.logoutToken(builder -> builder.issueTime(null)),
                provider.logoutToken(
                        builder -> builder.issueTime(Date.from(CLOCK.instant().plusSeconds(180)))),
                provider.logoutToken(builder ->
                        builder.expirationTime(Date.from(CLOCK.instant().minusSeconds(180)))))) {
            assertThat(signedOut(wrong)).as(wrong).isEqualTo("400 {\"error\":\"invalid_request\"}");
        }
        assertThat(registry.get("/people/me", session).status()).isEqualTo(200);

        String once = provider.logoutToken(same -> same);
        assertThat(signedOut(once)).startsWith("200 ");
        String again = signIn();
        assertThat(signedOut(once)).startsWith("400 ");
        assertThat(registry.get("/people/me", again).status()).isEqualTo(200);
        assertThat(persons.post("/sign-in/nobody/back-channel-logout", "logout_token=x")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void what_did_not_come_from_that_provider_stays() {
        String session = signIn();
        String token = registry.post("/people/me/tokens", "{\"name\":\"t\",\"role\":\"viewer\",\"days\":1}", session)
                .text("auth_token");
        var elsewhere = other.logoutToken(same -> same);

        assertThat(persons.post("/sign-in/other/back-channel-logout", "logout_token=" + elsewhere)
                        .statusCode())
                .isEqualTo(200);
        assertThat(registry.get("/people/me", session).status()).isEqualTo(200);
        assertThat(signedOut(provider.logoutToken(same -> same))).startsWith("200 ");

        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
        assertThat(registry.get("/people/me", token).status()).isEqualTo(200);
    }

    private static String signedOut(String token) {
        var answer = persons.post("/sign-in/house/back-channel-logout", "logout_token=" + token);
        assertThat(answer.getHeader("Cache-Control")).isEqualTo("no-store");
        return answer.statusCode() + " " + answer.bodyAsString();
    }

    @Test
    void a_link_binds_the_identity_that_comes_by_it_whatever_its_address() {
        var invited = registry.post("/people", "{\"login\":\"lee\",\"role\":\"viewer\"}", ADMIN);
        provider.claims = builder -> builder.subject("lee-at-the-provider").claim("email_verified", false);

        var begun = begin("{\"link\":\"%s\"}".formatted(Persons.linkIn(invited.text("link"))));
        var back = comeBack(begun);

        assertThat(back.getHeader("Location")).isEqualTo("/ui");
        assertThat(registry.get("/people/me", session(begun, back)).text("login"))
                .isEqualTo("lee");
    }

    @Test
    void who_recovers_an_account_by_the_provider_leaves_no_password_behind() {
        persons.come("mia", "\"role\":\"viewer\"");
        String id = registry.sql("SELECT id FROM people WHERE login = 'mia'")
                .iterator()
                .next()
                .getUUID(0)
                .toString();
        String link = Persons.linkIn(
                registry.post("/people/" + id + "/link", "", ADMIN).text("link"));
        provider.claims = builder -> builder.subject("mia-at-the-provider").claim("email_verified", false);

        var begun = begin("{\"link\":\"%s\"}".formatted(link));
        String session = session(begun, comeBack(begun));

        assertThat(registry.get("/people/me", session).json().path("signs_in_with"))
                .hasToString("[\"%s\"]".formatted(provider.issuer()));
        assertThat(persons.signIn("mia", Persons.passwordOf("mia")).statusCode())
                .isEqualTo(401);
    }

    @Test
    void no_page_of_another_origin_begins_one() {
        var answer = persons.post("/sign-in/house", "{}", "Sec-Fetch-Site", "cross-site");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.cookies()).isEmpty();
    }

    private static Begun begin() {
        return begin("{}");
    }

    private static Begun begin(String body) {
        CLOCK.advance(Duration.ofSeconds(10)); // begins are counted
        var answer = persons.post("/sign-in/house", body);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        assertThat(String.join("", answer.cookies())).contains("HTTPOnly", "SameSite=Lax", "Path=/sign-in/");
        var told = new JsonObject(answer.bodyAsString());
        var query = TestProvider.form(URI.create(told.getString("url")).getRawQuery());
        provider.nonce = query.getOrDefault("nonce", "");
        return new Begun(query, Persons.cookie(answer, "molecule_sign_in"), told.getString("csrf_token"));
    }

    private static String signIn() {
        var begun = begin();
        return session(begun, comeBack(begun));
    }

    /** Its token, of whose halves the page has one since it began. */
    private static String session(Begun begun, HttpResponse<Buffer> back) {
        String cookie = Persons.cookie(back, "molecule_session");
        assertThat(back.getHeader("Location")).doesNotContain(begun.csrfToken);
        assertThat(registry.get("/people/me", cookie).status()).isEqualTo(401);
        return cookie + "." + begun.csrfToken;
    }

    private static HttpResponse<Buffer> comeBack(Begun begun) {
        provider.nonce = begun.query.getOrDefault("nonce", "");
        return comeBack(begun.query, begun.browser, "iss", provider.issuer());
    }

    private static HttpResponse<Buffer> comeBack(Map<String, String> begun, String browser, String... more) {
        String rest = more.length == 0 ? "" : "&" + more[0] + "=" + more[1];
        var answer = persons.send(
                HttpMethod.GET,
                "/sign-in/house/callback?code=a-code&state=" + begun.get("state") + rest,
                "",
                "Cookie",
                "molecule_sign_in=" + browser);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(303);
        return answer;
    }
}
