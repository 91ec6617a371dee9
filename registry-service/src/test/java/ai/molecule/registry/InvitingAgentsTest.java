package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /invitations}, and who comes with one. */
class InvitingAgentsTest {

    private static final String REFUSED = "401 {\"error\":\"missing workspace auth token\"}";
    private static final String URL = "remote://no-inbound";
    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void the_first_to_register_gets_the_token_and_the_place_that_was_meant_for_it() {
        String lead = registry.create("Lead");
        var invited = invite("\"name\":\"Guest\",\"role\":\"helper\",\"tier\":2,\"parent_id\":\"%s\"".formatted(lead));
        String id = invited.text("id");
        assertThat(invited.status()).isEqualTo(201);
        assertThat(invited.body())
                .startsWith("{\"id\":\"%s\",\"name\":\"Guest\",\"parent_id\":\"%s\",\"tier\":2,\"expires_at\":\""
                        .formatted(id, lead));

        var first = registry.register(id, URL, "{\"name\":\"guest\"}", null);

        assertThat(first.text("auth_token")).isNotEmpty();
        var seen = registry.see(id);
        assertThat(seen.path("name").asText()).isEqualTo("Guest");
        assertThat(seen.path("role").asText()).isEqualTo("helper");
        assertThat(seen.path("parent_id").asText()).isEqualTo(lead);
        assertThat(seen.path("runtime").asText()).isEqualTo("external");
        assertThat(seen.path("tier").asInt()).isEqualTo(2);
        assertThat(seen.path("status").asText()).isEqualTo("online");
        assertThat(seen.has("admitted")).isFalse();
        assertThat(registry.eventTypes(id))
                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_AWAITING_AGENT", "WORKSPACE_ONLINE");
        assertThat(registry.register(id, URL, "{\"name\":\"other\"}", null)).hasToString(REFUSED);
        assertThat(registry.register(id, URL, "{\"name\":\"guest\"}", null).body())
                .doesNotContain("auth_token");
        assertThat(registry.beat(id, "", first.text("auth_token")).status()).isEqualTo(200);
    }

    @Test
    void until_it_is_claimed_the_id_stands_nowhere() {
        var invited = invite("\"name\":\"Secret\"");
        String id = invited.text("id");

        assertThat(registry.get("/workspaces", ADMIN).body()).doesNotContain(id);
        assertThat(registry.get("/workspaces/" + id, ADMIN).status()).isEqualTo(404);
        assertThat(registry.get("/invitations", ADMIN).body())
                .doesNotContain(id)
                .contains(
                        "\"invitation_id\":\"%s\",\"id\":\"%s-…\",\"name\":\"Secret\",\"role\":null,\"parent_id\":null,\"tier\":3,\"status\":\"awaiting_agent\""
                                .formatted(invited.text("invitation_id"), id.substring(0, 8)));
        assertThat(registry.events(id)).isEmpty();
        assertThat(registry.sql("SELECT 1 FROM log.events WHERE payload::text LIKE $1", "%" + id + "%")
                        .size())
                .isZero();
        assertThat(registry.sql("SELECT 1 FROM invitations AS one WHERE one::text LIKE $1", "%" + id + "%")
                        .size())
                .isZero();
        assertThat(registry.get("/invitations", null).status()).isEqualTo(401);
    }

    @Test
    void of_many_who_come_at_once_one_gets_the_token() {
        String id = invite("\"name\":\"Contended\"").text("id");

        var answers = IntStream.range(0, 8)
                .mapToObj(nth -> CompletableFuture.supplyAsync(
                        () -> registry.register(id, URL, "{\"n\":%d}".formatted(nth), null)))
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers)
                .filteredOn(answer -> answer.body().contains("auth_token"))
                .hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() == 401).hasSize(7);
    }

    @Test
    void whoever_comes_too_late_or_after_it_was_taken_back_is_refused_also_where_strangers_may_come() {
        var clock = new MovableClock();
        try (var open = RunningRegistry.startAt(clock)) {
            String late = open.post("/invitations", "{\"name\":\"Late\",\"expires_in_seconds\":60}", ADMIN)
                    .text("id");
            var taken = open.post("/invitations", "{\"name\":\"Taken\"}", ADMIN);
            String byId =
                    open.post("/invitations", "{\"name\":\"Taken too\"}", ADMIN).text("id");
            assertThat(open.delete("/invitations/" + taken.text("invitation_id"), ADMIN))
                    .hasToString("200 {\"status\":\"revoked\"}");
            assertThat(open.delete("/invitations/" + byId, ADMIN).status()).isEqualTo(200);
            assertThat(open.delete("/invitations/" + byId, ADMIN).status()).isEqualTo(404);
            clock.advance(Duration.ofSeconds(60));

            for (String id : new String[] {late, taken.text("id"), byId}) {
                assertThat(open.register(id, URL, "{}", null)).hasToString(REFUSED);
                assertThat(open.get("/workspaces/" + id, ADMIN).status()).isEqualTo(404);
            }
            assertThat(open.get("/invitations", ADMIN)).hasToString("200 {\"invitations\":[],\"count\":0}");
        }
    }

    @Test
    void nobody_comes_below_one_that_is_gone_or_cut_off() {
        String gone = registry.create("Gone");
        String cutOff = registry.create("Cut off");
        String belowGone =
                invite("\"name\":\"A\",\"parent_id\":\"%s\"".formatted(gone)).text("id");
        String belowCutOff =
                invite("\"name\":\"B\",\"parent_id\":\"%s\"".formatted(cutOff)).text("id");
        registry.delete("/workspaces/" + gone, ADMIN);
        registry.post("/workspaces/" + cutOff + "/quarantine", "", ADMIN);

        assertThat(registry.register(belowGone, URL, "{}", null)).hasToString(REFUSED);
        assertThat(registry.register(belowCutOff, URL, "{}", null)).hasToString(REFUSED);
        assertThat(invite("\"name\":\"C\",\"parent_id\":\"%s\"".formatted(cutOff)))
                .hasToString("409 {\"error\":\"workspace is quarantined\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"role\":\"r\"|invalid request body",
                "\"name\":\"\"|invalid request body",
                "\"name\":\"a\\u001bc\"|name must not contain control characters",
                "\"name\":\"a\\u202ec\"|name must not contain control characters",
                "\"name\":\"a\",\"role\":\"\\u009b31m\"|role must not contain control characters",
                "\"name\":\"a\",\"parent_id\":\"x\"|invalid request body",
                "\"name\":\"a\",\"parent_id\":\"7d9b7a55-1111-4111-8111-111111111111\"|parent workspace not found",
                "\"name\":\"a\",\"expires_in_seconds\":0|expires_in_seconds must be between 1 and 2592000",
                "\"name\":\"a\",\"expires_in_seconds\":9e99|invalid request body"
            })
    void an_invitation_that_makes_no_sense_is_refused(String members, String error) {
        assertThat(invite(members)).hasToString("400 {\"error\":\"%s\"}".formatted(error));
        assertThat(registry.delete("/invitations/" + UUID.randomUUID(), ADMIN).status())
                .isEqualTo(404);
    }

    private static RunningRegistry.Answer invite(String members) {
        return registry.post("/invitations", "{%s}".formatted(members), ADMIN);
    }
}
