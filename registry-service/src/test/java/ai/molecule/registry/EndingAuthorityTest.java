package ai.molecule.registry;

import static ai.molecule.registry.Persons.linkIn;
import static ai.molecule.registry.Persons.passwordOf;
import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.bus.registry.VerifyToken;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of docs/people.md: what a person holds opens nothing once what it came from ended, or goes on where the table says so. */
class EndingAuthorityTest {

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static Persons persons;

    private static String root = "";
    private static String agent = "";
    private static String elsewhere = "";

    enum Ending {
        ROLE_WITHDRAWN,
        ROLE_NARROWED_TO_ANOTHER_BRANCH,
        TENANT_MOVED,
        PASSWORD_CHANGED,
        SESSIONS_ENDED,
        ACCOUNT_RECOVERED,
        ACCOUNT_DISABLED,
        ACCOUNT_DELETED
    }

    /** All that one person may hold. */
    private record Held(
            String person, String session, String token, String chat, String device, String chatCode, String link) {}

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
        persons = Persons.of(registry);
        persons.come("olga", "\"role\":\"owner\"");
        root = registry.create("Acme");
        agent = registry.child("Writer", root);
        elsewhere = registry.create("Elsewhere");
    }

    @AfterAll
    static void stop() {
        persons.close();
        registry.close();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            ending,                          session, token, chat,  device, chatCode, link
            ROLE_WITHDRAWN,                  false,   false, false, false,  false,    false
            ROLE_NARROWED_TO_ANOTHER_BRANCH, false,   false, false, false,  false,    false
            TENANT_MOVED,                    false,   false, false, false,  false,    false
            PASSWORD_CHANGED,                false,   true,  true,  false,  false,    false
            SESSIONS_ENDED,                  false,   true,  true,  false,  false,    true
            ACCOUNT_RECOVERED,               false,   false, false, false,  false,    false
            ACCOUNT_DISABLED,                false,   false, false, false,  false,    false
            ACCOUNT_DELETED,                 false,   false, false, false,  false,    false
            """, useHeadersInDisplayName = true)
    void what_a_person_holds_ends_with_what_it_came_from(
            Ending ending,
            boolean session,
            boolean token,
            boolean chat,
            boolean device,
            boolean chatCode,
            boolean link) {
        assertThat(registry.put("/workspaces/" + root + "/tenant", "{\"tenant\":\"acme\"}", ADMIN)
                        .status())
                .isEqualTo(200);
        String login = "kim" + ending.ordinal();
        var held = held(login);
        assertThat(opens(held.session)).isTrue();
        assertThat(opens(held.token)).isTrue();
        assertThat(chatOpens(held.chat)).isTrue();

        end(ending, held, login);

        assertThat(opens(held.session)).as("session").isEqualTo(session);
        assertThat(opens(held.token)).as("token").isEqualTo(token);
        assertThat(chatOpens(held.chat)).as("chat").isEqualTo(chat);
        assertThat(opens(redeemed(held.device))).as("device code").isEqualTo(device);
        assertThat(chatOpens(linked(held.chatCode))).as("code for a chat").isEqualTo(chatCode);
        assertThat(opens(accepted(held.link))).as("link").isEqualTo(link); // the last one: it ends all else
    }

    private static Held held(String login) {
        String session = persons.come(login, "\"role\":\"operator\",\"tenant\":\"acme\"");
        String person = "/people/" + registry.get("/people/me", session).text("id");
        String token = registry.post("/people/me/tokens", "{\"name\":\"mine\",\"role\":\"operator\"}", session)
                .text("auth_token");
        String chat = Objects.requireNonNull(linked(chatCode(session)));
        var begun = registry.post("/device/code", "client_id=molecule", null);
        assertThat(registry.post(
                                "/device/requests/" + begun.text("user_code"),
                                "{\"allow\":true,\"role\":\"operator\"}",
                                session)
                        .status())
                .isEqualTo(200);
        String link = linkIn(registry.post(person + "/link", "", ADMIN).text("link"));
        return new Held(person, session, token, chat, begun.text("device_code"), chatCode(session), link);
    }

    private static void end(Ending ending, Held held, String login) {
        var answer =
                switch (ending) {
                    case ROLE_WITHDRAWN -> registry.patch(held.person, "{\"roles\":[]}", ADMIN);
                    case ROLE_NARROWED_TO_ANOTHER_BRANCH ->
                        registry.patch(
                                held.person, "{\"role\":\"operator\",\"branch\":\"%s\"}".formatted(elsewhere), ADMIN);
                    case TENANT_MOVED ->
                        registry.put("/workspaces/" + root + "/tenant", "{\"tenant\":\"globex\"}", ADMIN);
                    case PASSWORD_CHANGED ->
                        registry.post(
                                "/people/me/password",
                                "{\"old\":\"%s\",\"new\":\"a fresh password\"}".formatted(passwordOf(login)),
                                held.session);
                    case SESSIONS_ENDED -> registry.delete(held.person + "/sessions", ADMIN);
                    case ACCOUNT_RECOVERED -> {
                        assertThat(accepted(held.link)).isNotNull();
                        yield registry.get(held.person, ADMIN);
                    }
                    case ACCOUNT_DISABLED -> registry.patch(held.person, "{\"disabled\":true}", ADMIN);
                    case ACCOUNT_DELETED -> registry.delete(held.person, ADMIN);
                };
        if (ending != Ending.ACCOUNT_RECOVERED) {
            assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        }
    }

    /** Whether it is worth anything at the agent of the tenant. */
    private static boolean opens(@Nullable String bearer) {
        return bearer != null
                && registry.get("/workspaces/" + agent, bearer).status() == 200
                && registry.patch("/workspaces/" + agent, "{\"role\":\"w\"}", bearer)
                                .status()
                        == 200;
    }

    private static boolean chatOpens(@Nullable String hash) {
        if (hash == null) {
            return false;
        }
        var person = registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(hash, UUID.fromString(agent)))
                .await()
                .person();
        return person != null && person.there() != null;
    }

    private static String chatCode(String session) {
        return registry.post("/people/me/chats", "{\"role\":\"operator\"}", session)
                .text("code");
    }

    private static @Nullable String linked(String code) {
        return registry.bus
                .call(
                        LinkChat.CONTRACT,
                        new LinkChat(code, "telegram", UUID.randomUUID().toString()))
                .await()
                .tokenHash();
    }

    private static @Nullable String redeemed(String deviceCode) {
        CLOCK.advance(Duration.ofSeconds(5));
        var answer = registry.post(
                "/device/token",
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=" + deviceCode,
                null);
        return answer.status() == 200 ? answer.text("access_token") : null;
    }

    private static @Nullable String accepted(String link) {
        var answer =
                persons.post("/people/accept", "{\"link\":\"%s\",\"password\":\"a fresh password\"}".formatted(link));
        return answer.statusCode() < 400
                ? Persons.cookie(answer, "molecule_session")
                        + "."
                        + new JsonObject(answer.bodyAsString()).getString("csrf_token")
                : null;
    }
}
