package ai.molecule.registry;

import static ai.molecule.registry.Persons.linkIn;
import static ai.molecule.registry.Persons.passwordOf;
import static ai.molecule.registry.Persons.sessionOf;
import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What somebody who held a person's session keeps, once the person recovers the account, changes the password or is signed out. */
class RecoveringAccountsTest {

    private static final String GRANT =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=";

    private final MovableClock clock = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private Persons persons;

    private String session = "";
    private String person = "";

    /** What an intruder makes of a session that is not its own. */
    private record Loot(String token, String chatHash, String deviceCode, String chatCode) {}

    @BeforeEach
    void start() {
        registry = RunningRegistry.startInProduction(clock);
        persons = Persons.of(registry);
        session = persons.come("kim", "\"role\":\"owner\"");
        person = registry.get("/people/me", session).text("id");
        persons.come("lee", "\"role\":\"owner\"");
    }

    @AfterEach
    void stop() {
        persons.close();
        registry.close();
    }

    @Test
    void a_recovery_ends_sessions_tokens_chats_grants_and_the_other_way_of_signing_in() {
        var loot = loot();
        registry.sql("UPDATE people SET issuer = 'https://idp.example', subject = 'intruder' WHERE login = 'kim'");
        String link =
                linkIn(registry.post("/people/" + person + "/link", "", ADMIN).text("link"));

        var back =
                persons.post("/people/accept", "{\"link\":\"%s\",\"password\":\"a fresh password\"}".formatted(link));

        String fresh = sessionOf(back);
        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
        assertThat(registry.get("/people/me", loot.token).status()).isEqualTo(401);
        assertThat(holderOf(loot.chatHash)).isEqualTo(Holder.NOBODY);
        assertThat(redeem(loot)).hasToString("400 {\"error\":\"expired_token\"}");
        assertThat(say(loot.chatCode).login()).isNull();
        assertThat(registry.get("/people/me", fresh).json().path("signs_in_with"))
                .hasToString("[\"password\"]");
        assertThat(registry.get("/people/me/tokens", fresh).json().path("count").asInt())
                .isZero();
        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(401);
        assertThat(persons.signIn("kim", "a fresh password").statusCode()).isEqualTo(201);
    }

    @Test
    void a_changed_password_ends_grants_and_links_and_says_how_many_tokens_stay() {
        var loot = loot();
        String link =
                linkIn(registry.post("/people/" + person + "/link", "", session).text("link"));

        var changed = registry.post(
                "/people/me/password",
                "{\"old\":\"%s\",\"new\":\"a fresh password\"}".formatted(passwordOf("kim")),
                session);

        assertThat(changed).hasToString("200 {\"status\":\"changed\",\"tokens\":2}");
        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
        assertThat(redeem(loot)).hasToString("400 {\"error\":\"expired_token\"}");
        assertThat(say(loot.chatCode).login()).isNull();
        assertThat(persons.post(
                                "/people/accept",
                                "{\"link\":\"%s\",\"password\":\"an intruder's one\"}".formatted(link))
                        .statusCode())
                .isEqualTo(404);
        assertThat(registry.get("/people/me", loot.token).status()).isEqualTo(200);
    }

    @Test
    void a_changed_password_ends_tokens_and_chats_where_asked_and_a_wrong_old_one_ends_nothing() {
        var loot = loot();
        String change = "{\"old\":\"%s\",\"new\":\"a fresh password\",\"revoke_tokens\":%s}";

        assertThat(registry.post("/people/me/password", change.formatted("a wrong password", "true"), session)
                        .status())
                .isEqualTo(403);
        assertThat(registry.post("/people/me/password", change.formatted(passwordOf("kim"), "\"yes\""), session)
                        .status())
                .isEqualTo(400);
        assertThat(registry.get("/people/me", loot.token).status()).isEqualTo(200);
        var changed = registry.post("/people/me/password", change.formatted(passwordOf("kim"), "true"), session);

        assertThat(changed).hasToString("200 {\"status\":\"changed\",\"tokens\":0}");
        assertThat(registry.get("/people/me", loot.token).status()).isEqualTo(401);
        assertThat(holderOf(loot.chatHash)).isEqualTo(Holder.NOBODY);
    }

    @Test
    void an_owner_who_ends_somebodys_sessions_ends_what_they_granted_too() {
        var loot = loot();

        assertThat(registry.delete("/people/" + person + "/sessions", ADMIN).status())
                .isEqualTo(200);

        assertThat(registry.get("/people/me", session).status()).isEqualTo(401);
        assertThat(redeem(loot)).hasToString("400 {\"error\":\"expired_token\"}");
        assertThat(say(loot.chatCode).login()).isNull();
        assertThat(registry.get("/people/me", loot.token).status()).isEqualTo(200);
        assertThat(persons.signIn("kim", passwordOf("kim")).statusCode()).isEqualTo(201);
    }

    private Loot loot() {
        String token = registry.post(
                        "/people/me/tokens", "{\"name\":\"mine\",\"role\":\"owner\",\"days\":365}", session)
                .text("auth_token");
        String chatHash = Objects.requireNonNull(say(chatCode()).tokenHash());
        var begun = registry.post("/device/code", "client_id=molecule", null);
        assertThat(registry.post(
                                "/device/requests/" + begun.text("user_code"),
                                "{\"allow\":true,\"role\":\"owner\"}",
                                session)
                        .status())
                .isEqualTo(200);
        assertThat(registry.get("/people/me", token).status()).isEqualTo(200);
        assertThat(holderOf(chatHash)).isEqualTo(Holder.PERSON);
        return new Loot(token, chatHash, begun.text("device_code"), chatCode());
    }

    private String chatCode() {
        return registry.post("/people/me/chats", "{\"role\":\"operator\"}", session)
                .text("code");
    }

    private RunningRegistry.Answer redeem(Loot loot) {
        clock.advance(Duration.ofSeconds(5));
        return registry.post("/device/token", GRANT + loot.deviceCode, null);
    }

    private LinkChat.Linked say(String code) {
        return registry.bus
                .call(
                        LinkChat.CONTRACT,
                        new LinkChat(code, "telegram", UUID.randomUUID().toString()))
                .await();
    }

    private Holder holderOf(String hash) {
        return registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(hash, null))
                .await()
                .holder();
    }
}
