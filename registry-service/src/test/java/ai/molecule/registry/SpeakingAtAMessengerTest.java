package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.json.Json;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who says a code at a messenger is that person there, may what that token may, and decides in that name. */
class SpeakingAtAMessengerTest {

    private final MovableClock clock = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private Persons persons;

    /** What all tests of the module count together, each sender counts alone. */
    private final String sender = UUID.randomUUID().toString();

    private String session = "";

    @BeforeEach
    void start() {
        registry = RunningRegistry.startInProduction(clock);
        persons = Persons.of(registry);
        session = persons.come("kim", "\"role\":\"operator\"");
    }

    @AfterEach
    void stop() {
        persons.close();
        registry.close();
    }

    @Test
    void a_code_works_once_and_makes_its_sender_known() {
        String code = code("operator");
        assertThat(code).matches("[B-Z]{4}-[B-Z]{4}");

        var linked = link(code.toLowerCase(Locale.ROOT).replace("-", " "), sender);

        assertThat(linked.login()).isEqualTo("kim");
        assertThat(link(code, sender).login()).isNull();
        assertThat(registry.get("/people/me/tokens", session).body()).contains("\"name\":\"telegram\"");
        assertThat(actor("person_token.created"))
                .contains(
                        "\"name\":\"kim\"", "\"credential\":\"telegram:%s\"".formatted(sender), "\"kind\":\"person\"");
    }

    @Test
    void wrong_ones_late_ones_replaced_ones_and_too_many_are_one_answer() {
        String first = code("viewer");
        String second = code("viewer");
        assertThat(link(first, sender).login()).isNull();
        assertThat(link("BCDF-GHJK", sender).login()).isNull();
        assertThat(link("no code at all", sender).login()).isNull();
        clock.advance(Duration.ofMinutes(11));
        assertThat(link(second, sender).login()).isNull();

        String third = code("viewer");
        for (int guess = 0; guess < 10; guess++) {
            assertThat(link("BCDF-GHJK", sender + "-8").login()).isNull();
        }
        assertThat(link(third, sender + "-8").login()).isNull();
        assertThat(link(third, sender + "-9").login()).isEqualTo("kim");
    }

    @Test
    void what_is_decided_there_is_the_persons_decision_and_the_record_says_by_which_way() {
        var agent = UUID.fromString(registry.create("Writer"));
        var asked = ask(agent);
        String hash = hash(link(code("operator"), sender));

        var decided = registry.bus
                .call(DecideApproval.CONTRACT, new DecideApproval(agent, asked, true, "telegram", hash, null))
                .await();

        assertThat(decided.status()).isEqualTo("approved");
        var shown = registry.get("/workspaces/%s/approvals".formatted(agent), ADMIN)
                .json()
                .path(0);
        assertThat(shown.path("decided_by").asText()).isEqualTo("kim");
        assertThat(actor("approval.approved"))
                .contains("\"kind\":\"person\"", "\"name\":\"kim\"")
                .containsPattern("\"credential\":\"telegram:[^\"]{4,}\"");
        assertThatThrownBy(() -> registry.bus
                        .call(DecideApproval.CONTRACT, new DecideApproval(agent, asked, false, "telegram", hash, null))
                        .await())
                .hasMessageContaining("already decided");
    }

    @Test
    void a_viewer_and_whose_token_was_revoked_decide_nothing() {
        var agent = UUID.fromString(registry.create("Writer"));
        var asked = ask(agent);
        String looking = hash(link(code("viewer"), sender));
        String ended = hash(link(code("operator"), sender + "-8"));
        for (var token : registry.get("/people/me/tokens", session).json().path("tokens")) {
            if (token.path("role").asText().equals("operator")) {
                registry.delete("/people/me/tokens/" + token.path("id").asText(), session);
            }
        }

        assertThatThrownBy(() -> registry.bus
                        .call(
                                DecideApproval.CONTRACT,
                                new DecideApproval(agent, asked, true, "telegram", looking, null))
                        .await())
                .hasMessageContaining("role of an operator");
        assertThatThrownBy(() -> registry.bus
                        .call(DecideApproval.CONTRACT, new DecideApproval(agent, asked, true, "telegram", ended, null))
                        .await())
                .hasMessageContaining("not found");
        assertThat(registry.bus
                        .call(VerifyToken.CONTRACT, new VerifyToken(ended, agent))
                        .await()
                        .person())
                .isNull();
    }

    @Test
    void a_token_makes_no_code() {
        String token = registry.post("/people/me/tokens", "{\"name\":\"script\",\"role\":\"operator\"}", session)
                .text("auth_token");

        assertThat(registry.post("/people/me/chats", "{}", token).status()).isEqualTo(403);
        assertThat(registry.post("/people/me/chats", "{\"role\":\"owner\"}", session)
                        .status())
                .isEqualTo(403);
    }

    private String code(String role) {
        var made = registry.post("/people/me/chats", "{\"role\":\"%s\"}".formatted(role), session);
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        return made.text("code");
    }

    private LinkChat.Linked link(String code, String sender) {
        return registry.bus
                .call(LinkChat.CONTRACT, new LinkChat(code, "telegram", sender))
                .await();
    }

    private static String hash(LinkChat.Linked linked) {
        String hash = linked.tokenHash();
        if (hash == null) {
            throw new AssertionError("not linked");
        }
        return hash;
    }

    private UUID ask(UUID agent) {
        var asked = registry.post("/workspaces/%s/approvals".formatted(agent), "{\"action\":\"publish\"}", ADMIN);
        return UUID.fromString(asked.text("approval_id"));
    }

    private String actor(String verb) {
        String entry = registry.sql("SELECT entry FROM log.audit WHERE verb = $1 ORDER BY id DESC LIMIT 1", verb)
                .iterator()
                .next()
                .getString(0);
        return Json.text(Json.stored(entry).path("actor"));
    }
}
