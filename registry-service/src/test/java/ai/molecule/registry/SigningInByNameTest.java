package ai.molecule.registry;

import static ai.molecule.registry.Persons.cookie;
import static ai.molecule.registry.Persons.linkIn;
import static ai.molecule.registry.Persons.passwordOf;
import static ai.molecule.registry.Persons.sessionOf;
import static ai.molecule.registry.Persons.shown;
import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Accounts of the platform: the first owner, invitations, passwords, sessions. */
class SigningInByNameTest {

    private final MovableClock clock = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private Persons persons;

    @BeforeEach
    void start() {
        registry = RunningRegistry.startInProduction(clock);
        persons = Persons.of(registry);
    }

    @AfterEach
    void stop() {
        persons.close();
        registry.close();
    }

    @Test
    void a_link_that_works_once_makes_the_first_owner_and_no_second_one() {
        String link = linkIn(registry.post("/people/first-owner", "", ADMIN).text("link"));
        String body = "{\"link\":\"%s\",\"login\":\"Kim@Example.org\",\"name\":\"Kim\",\"password\":\"%s\"}"
                .formatted(link, passwordOf("kim"));

        var come = persons.post("/people/accept", body);

        assertThat(come.statusCode()).isEqualTo(201);
        // the first one, which is all that some clients look at
        assertThat(come.getHeader("Set-Cookie"))
                .startsWith("molecule_session=")
                .contains("HTTPOnly", "SameSite=Strict", "Path=/");
        assertThat(registry.get("/people/me", sessionOf(come)).text("login")).isEqualTo("kim@example.org");
        assertThat(persons.post("/people/accept", body).statusCode()).isEqualTo(404);
        assertThat(registry.post("/people/first-owner", "", ADMIN))
                .hasToString("409 {\"error\":\"there is an owner already\"}");
        var hash = registry.sql("SELECT password_hash FROM people").iterator().next();
        assertThat(hash.getString(0)).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        var chained = registry.sql(
                "SELECT count(*) FROM log.audit WHERE verb = 'person.created' AND entry LIKE '%kim@example.org%' AND entry NOT LIKE '%argon%'");
        assertThat(chained.iterator().next().getLong(0)).isEqualTo(1);
    }

    @Test
    void a_link_ends_with_its_time_and_with_the_next_one() {
        String first = linkIn(registry.post("/people/first-owner", "", ADMIN).text("link"));
        String second = linkIn(registry.post("/people/first-owner", "", ADMIN).text("link"));

        assertThat(accept(first, "a")).isEqualTo(404);
        clock.advance(Duration.ofHours(25));
        assertThat(accept(second, "a")).isEqualTo(404);
        assertThat(accept("guess", "a")).isEqualTo(404);
    }

    @Test
    void a_password_opens_and_everything_else_is_refused_in_the_same_words() {
        persons.come("kim", "\"role\":\"operator\"");

        var right = persons.signIn("KIM", passwordOf("kim"));
        var wrong = persons.signIn("kim", "not the password");
        var nobody = persons.signIn("lee", passwordOf("kim"));

        assertThat(right.statusCode()).isEqualTo(201);
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.bodyAsString()).isEqualTo(nobody.bodyAsString());
        assertThat(registry.get("/session", null, shown(sessionOf(right)))
                        .json()
                        .at("/person/login")
                        .asText())
                .isEqualTo("kim");
        assertThat(registry.get("/session", null).json().at("/ways/password").asBoolean())
                .isTrue();
    }

    @Test
    void guesses_at_one_account_end_after_twenty_from_wherever_they_come() {
        persons.come("kim", "\"role\":\"operator\"");
        guess("kim", 20);

        var refused = persons.signIn("kim", passwordOf("kim"));
        clock.advance(Duration.ofMinutes(16));

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.getHeader("Retry-After")).isNotNull();
        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(201);
    }

    @Test
    void right_passwords_are_no_guesses() {
        persons.come("kim", "\"role\":\"operator\"");
        beginAQuarter();
        for (int i = 0; i < 30; i++) {
            nextMinuteAfterTen(i);
            assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(201);
        }
    }

    @Test
    void a_browser_that_signed_in_before_is_not_kept_out_by_strangers() {
        persons.come("kim", "\"role\":\"operator\"");
        persons.come("lee", "\"role\":\"operator\"");
        var signedIn = persons.signIn("kim", passwordOf("kim"));
        String kims = cookie(signedIn, "molecule_signed_in_before");
        String lees = cookie(persons.signIn("lee", passwordOf("lee")), "molecule_signed_in_before");
        assertThat(signedIn.cookies())
                .filteredOn(cookie -> cookie.startsWith("molecule_signed_in_before="))
                .singleElement()
                .asString()
                .contains("HTTPOnly", "SameSite=Strict", "Path=/session;");
        guess("kim", 20);

        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(429);
        for (String forged : new String[] {lees, kims + "x", "x" + kims, kims.replace(".", ""), "."}) {
            assertThat(persons.signIn("kim", passwordOf("kim"), "Cookie", "molecule_signed_in_before=" + forged)
                            .statusCode())
                    .as(forged)
                    .isEqualTo(429);
        }
        String known = cookie(
                persons.signIn("kim", passwordOf("kim"), "Cookie", "molecule_signed_in_before=" + kims),
                "molecule_signed_in_before");
        assertThat(known).isNotEmpty().isNotEqualTo(kims);

        // its own wrong ones are bounded as well
        for (int i = 0; i < 20; i++) {
            nextMinuteAfterTen(i);
            assertThat(persons.signIn("kim", "a wrong password", "Cookie", "molecule_signed_in_before=" + known)
                            .statusCode())
                    .isEqualTo(401);
        }
        clock.advance(Duration.ofSeconds(61));
        assertThat(persons.signIn("kim", passwordOf("kim"), "Cookie", "molecule_signed_in_before=" + known)
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void another_password_forgets_other_browsers_and_knows_the_one_that_changed_it() {
        String session = persons.come("kim", "\"role\":\"operator\"");
        String before = cookie(persons.signIn("kim", passwordOf("kim")), "molecule_signed_in_before");

        var changed = persons.post(
                "/people/me/password",
                "{\"old\":\"%s\",\"new\":\"another long one\"}".formatted(passwordOf("kim")),
                shown(session));
        assertThat(changed.statusCode()).isEqualTo(200);
        guess("kim", 20);

        assertThat(persons.signIn("kim", "another long one", "Cookie", "molecule_signed_in_before=" + before)
                        .statusCode())
                .isEqualTo(429);
        assertThat(persons.signIn(
                                "kim",
                                "another long one",
                                "Cookie",
                                "molecule_signed_in_before=" + cookie(changed, "molecule_signed_in_before"))
                        .statusCode())
                .isEqualTo(201);
    }

    /** All of it in one quarter of an hour; afterwards the limit of the address begins anew. */
    private void guess(String login, int times) {
        beginAQuarter();
        for (int i = 0; i < times; i++) {
            nextMinuteAfterTen(i);
            assertThat(persons.signIn(login, "guess number %02d".formatted(i)).statusCode())
                    .isEqualTo(401);
        }
        clock.advance(Duration.ofSeconds(61));
    }

    private void beginAQuarter() {
        long into = clock.instant().getEpochSecond() % 900;
        clock.advance(Duration.ofSeconds(901 - into));
    }

    /** The limit of the address begins anew, that of the account does not. */
    private void nextMinuteAfterTen(int tried) {
        if (tried % 10 == 0) {
            clock.advance(Duration.ofSeconds(61));
        }
    }

    @Test
    void no_page_of_another_origin_signs_anybody_in() {
        persons.come("kim", "\"role\":\"operator\"");

        for (String[] foreign :
                new String[][] {{"Origin", "http://127.0.0.1:3000"}, {"Sec-Fetch-Site", "cross-site"}}) {
            var answer = persons.signIn("kim", passwordOf("kim"), foreign);

            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.cookies()).isEmpty();
        }
    }

    @Test
    void a_session_is_a_new_one_and_the_one_before_it_ends() {
        String planted = persons.come("kim", "\"role\":\"operator\"");

        String fresh = sessionOf(persons.signIn("kim", passwordOf("kim"), shown(planted)));

        assertThat(fresh).isNotEqualTo(planted);
        assertThat(registry.get("/people/me", planted).status()).isEqualTo(401);
        assertThat(registry.get("/people/me", fresh).status()).isEqualTo(200);
    }

    @Test
    void sessions_are_listed_and_ended_one_by_one_and_all_with_the_account() {
        String desk = persons.come("kim", "\"role\":\"operator\"");
        clock.advance(Duration.ofSeconds(1));
        String phone = sessionOf(persons.signIn("kim", passwordOf("kim"), "User-Agent", "a phone"));
        var listed = registry.get("/sessions", desk).json();
        assertThat(listed.path("count").asInt()).isEqualTo(2);
        assertThat(listed.at("/sessions/1/this").asBoolean()).isTrue();
        assertThat(listed.at("/sessions/0/agent").asText()).isEqualTo("a phone");
        assertThat(listed.toString()).doesNotContain(phone);

        var ended = registry.delete("/sessions/" + listed.at("/sessions/0/id").asText(), desk);
        assertThat(ended.status()).isEqualTo(200);
        assertThat(registry.get("/people/me", phone).status()).isEqualTo(401);

        String id = registry.get("/people/me", desk).text("id");
        assertThat(registry.patch("/people/" + id, "{\"disabled\":true}", ADMIN).status())
                .isEqualTo(200);
        assertThat(registry.get("/people/me", desk).status()).isEqualTo(401);
        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(401);
    }

    @Test
    void one_more_than_twenty_sessions_ends_the_oldest() {
        String oldest = persons.come("kim", "\"role\":\"operator\"");
        registry.sql("""
                INSERT INTO sessions (token_hash, made_with, created_at, expires_at, person_id)
                SELECT sha256(n::text::bytea), 0, created_at + interval '1 second', expires_at, person_id
                FROM sessions, generate_series(1, 19) AS n WHERE person_id IS NOT NULL
                """);
        clock.advance(Duration.ofSeconds(2));

        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(201);

        assertThat(registry.get("/people/me", oldest).status()).isEqualTo(401);
        assertThat(registry.count("sessions")).isEqualTo(20);
    }

    @Test
    void another_password_ends_every_session_and_asks_for_the_old_one() {
        String session = persons.come("kim", "\"role\":\"operator\"");
        String body = "{\"old\":\"%s\",\"new\":\"another long one\"}";

        assertThat(registry.post("/people/me/password", body.formatted("guess"), session)
                        .status())
                .isEqualTo(403);
        assertThat(registry.post("/people/me/password", body.formatted(passwordOf("kim")), session)
                        .status())
                .isEqualTo(200);

        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(401);
        assertThat(persons.signIn("kim", "another long one").statusCode()).isEqualTo(201);
    }

    @Test
    void the_last_owner_stays() {
        String session = persons.come("kim", "\"role\":\"owner\"");
        String id = registry.get("/people/me", session).text("id");

        for (var answer : new RunningRegistry.Answer[] {
            registry.delete("/people/" + id, session),
            registry.patch("/people/" + id, "{\"disabled\":true}", session),
            registry.patch("/people/" + id, "{\"role\":\"viewer\"}", session)
        }) {
            assertThat(answer).hasToString("409 {\"error\":\"the last owner stays\"}");
        }
        persons.come("lee", "\"role\":\"owner\"");
        assertThat(registry.delete("/people/" + id, session).status()).isEqualTo(200);
        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
    }

    @Test
    void the_admin_token_is_turned_off_once_there_is_an_owner() {
        String[] off = {"DATABASE_URL", registry.databaseUrl, "MOLECULE_ADMIN_TOKEN_OFF", "1"};
        assertThatThrownBy(() -> RunningRegistry.startInProduction(off)).hasMessageContaining("needs an owner");
        String session = persons.come("kim", "\"role\":\"owner\"");

        try (var closed = RunningRegistry.startInProduction(off)) {
            assertThat(closed.get("/workspaces", ADMIN).status()).isEqualTo(401);
            assertThat(closed.get("/workspaces", null).status()).isEqualTo(401);
            assertThat(closed.post("/session", "{\"token\":\"" + ADMIN + "\"}", null)
                            .status())
                    .isEqualTo(401);
            assertThat(closed.get("/workspaces", session).status()).isEqualTo(200);
        }
    }

    @Test
    void what_a_body_cannot_be_changes_nothing() {
        for (String body : new String[] {
            "{\"login\":\"kim\"}",
            "{\"login\":\"\\u0001\",\"role\":\"viewer\"}",
            "{\"login\":\"kim\",\"role\":\"king\"}",
            "{\"login\":\"kim\",\"role\":\"viewer\",\"branch\":\"x\"}",
            "{\"login\":\"kim\",\"role\":\"viewer\",\"branch\":\"3f2c8c4e-8a52-4b43-9b7e-0d7c1f0e5a11\"}",
            "{\"login\":\"kim\",\"roles\":[{\"role\":\"viewer\"},{\"role\":\"owner\"}]}",
            "{\"login\":\"kim\",\"name\":\"a\\u202eb\",\"role\":\"viewer\"}"
        }) {
            assertThat(registry.post("/people", body, ADMIN).status()).as(body).isEqualTo(400);
        }
        assertThat(registry.count("people")).isZero();
        assertThat(registry.send(HttpMethod.POST, "/people/accept", "{\"link\":\"x\",\"password\":\"short\"}", null)
                        .status())
                .isEqualTo(400);
    }

    private int accept(String link, String login) {
        return persons.post(
                        "/people/accept",
                        "{\"link\":\"%s\",\"login\":\"%s\",\"name\":\"N\",\"password\":\"%s\"}"
                                .formatted(link, login, passwordOf(login)))
                .statusCode();
    }
}
