package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.registry.RunningRegistry.Answer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who becomes a workspace in production, and who gets the first token of one. */
class EnrollingInProductionTest {

    private static final String REFUSED = "401 {\"error\":\"missing workspace auth token\"}";
    private static final String INVALID = "401 {\"error\":\"invalid workspace auth token\"}";
    private static final String URL = "remote://x";
    private static final String METADATA = "http://169.254.169.254/";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry closed;

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry open;

    @BeforeAll
    static void start() {
        closed = RunningRegistry.startInProduction();
        open = RunningRegistry.startInProduction("MOLECULE_OPEN_REGISTRATION", "1");
    }

    @AfterAll
    static void stop() {
        closed.close();
        open.close();
    }

    @Test
    void a_stranger_does_not_become_a_workspace() {
        String id = UUID.randomUUID().toString();

        assertThat(closed.register(id, URL, "{}", null)).hasToString(REFUSED);
        assertThat(closed.register(id, URL, "{}", "garbage")).hasToString(INVALID);
        assertThat(closed.get("/workspaces/" + id, ADMIN).status()).isEqualTo(404);
    }

    @Test
    void an_administrator_may_register_an_unknown_id_and_it_is_admitted() {
        String id = UUID.randomUUID().toString();

        assertThat(closed.register(id, URL, "{}", ADMIN).text("auth_token")).isNotEmpty();
        assertThat(closed.see(id).has("admitted")).isFalse();
    }

    @Test
    void where_the_door_is_open_a_stranger_stays_one_until_somebody_admits_it() {
        String root = open.create("Lead");
        String id = UUID.randomUUID().toString();
        String token = open.register(id, URL, "{}", null).text("auth_token");

        assertThat(open.see(id).path("admitted").asBoolean(true)).isFalse();
        assertThat(open.get("/registry/" + id + "/peers", token)).hasToString("200 []");
        assertThat(open.get("/registry/" + root + "/peers", open.mint(root)).body())
                .doesNotContain(id);
        assertThat(discover(open, id, token, root)).startsWith("403 ");
        assertThat(allowed(root, id)).isFalse();
        assertThat(allowed(id, root)).isFalse();
        assertThat(open.patch("/workspaces/" + id, "{\"parent_id\":\"%s\"}".formatted(root), token)
                        .status())
                .isEqualTo(403);

        assertThat(open.post("/workspaces/" + id + "/admit", "", token).status())
                .isEqualTo(401);
        assertThat(open.post("/workspaces/" + id + "/admit", "", ADMIN)).hasToString("200 {\"status\":\"admitted\"}");
        assertThat(open.post("/workspaces/" + id + "/admit", "", ADMIN)).hasToString("200 {\"status\":\"admitted\"}");

        assertThat(open.see(id).has("admitted")).isFalse();
        assertThat(open.get("/registry/" + id + "/peers", token).body()).contains(root);
        assertThat(allowed(root, id)).isTrue();
        assertThat(open.events(id))
                .filteredOn(event -> event.startsWith("WORKSPACE_UPDATED"))
                .singleElement()
                .asString()
                .contains("\"changed\":{\"admitted\":true}");
        assertThat(open.post("/workspaces/" + UUID.randomUUID() + "/admit", "", ADMIN)
                        .status())
                .isEqualTo(404);
    }

    @Test
    void who_repeats_what_is_registered_shows_its_token() {
        String id = UUID.randomUUID().toString();
        String token = closed.register(id, URL, "{}", ADMIN).text("auth_token");

        assertThat(closed.register(id, URL, "{}", null).status()).isEqualTo(401);
        assertThat(closed.register(id, URL, "{}", token)).hasToString("200 {\"status\":\"registered\"}");
    }

    @Test
    void in_development_and_where_nothing_is_set_a_stranger_is_admitted() {
        try (var unset = RunningRegistry.start()) {
            String id = UUID.randomUUID().toString();

            unset.register(id, URL, "{}", null);

            assertThat(unset.see(id).has("admitted")).isFalse();
        }
    }

    @Test
    void a_strangers_id_that_begins_as_anothers_is_refused() {
        String victim = open.create("Victim");
        String alike = victim.substring(0, 14) + UUID.randomUUID().toString().substring(14);

        assertThat(open.register(alike, URL, "{}", null))
                .hasToString("409 {\"error\":\"another workspace's id begins like this one\"}");
        assertThat(open.get("/workspaces/" + alike, ADMIN).status()).isEqualTo(404);
    }

    @Test
    void an_agent_of_ours_gets_its_token_from_its_start_and_from_nothing_else() {
        String id = closed.create("Managed");

        assertThat(closed.register(id, URL, "{}", null)).hasToString(REFUSED);
        assertThat(closed.register(id, URL, "{}", ADMIN)).hasToString(INVALID);
        assertThat(closed.beat(id, "", null)).hasToString(REFUSED);
        assertThat(closed.get("/registry/" + id + "/peers", null)).hasToString(REFUSED);
        String token = startToken(closed, id, 1);
        assertThat(closed.register(id, "http://localhost:1", "{}", token))
                .hasToString("200 {\"status\":\"registered\"}");
        assertThat(closed.beat(id, "", token).status()).isEqualTo(200);
    }

    @Test
    void what_a_registration_got_without_a_bearer_ends_a_minute_after_the_agent_was_started() {
        var clock = new MovableClock();
        try (var unset = RunningRegistry.startAt(clock)) {
            String id = unset.create("Managed");
            String early = unset.register(id, "http://localhost:1", "{}", null).text("auth_token");
            String minted = unset.mint(id);

            startToken(unset, id, 1);
            assertThat(unset.beat(id, "", early).status()).isEqualTo(200);
            clock.advance(Duration.ofSeconds(61));
            unset.token(id); // forgets the verdicts about it

            assertThat(unset.beat(id, "", early).status()).isEqualTo(401);
            assertThat(unset.beat(id, "", minted).status()).isEqualTo(200);
        }
    }

    @Test
    void whose_last_token_was_revoked_gets_the_next_one_from_an_administrator() {
        String managed = closed.create("Managed");
        revokeAll(closed, managed, closed.mint(managed));
        String external = closed.create("External", "\"external\":true", "\"url\":\"remote://no-inbound\"");
        assertThat(closed.register(external, "remote://no-inbound", "{}", null))
                .as("nobody has its token yet, and a stranger does not get it either")
                .hasToString(REFUSED);
        String first =
                closed.register(external, "remote://no-inbound", "{}", ADMIN).text("auth_token");
        assertThat(first).isNotEmpty();
        revokeAll(closed, external, first);

        assertThat(closed.register(managed, URL, "{}", null)).hasToString(REFUSED);
        assertThat(closed.register(external, "remote://no-inbound", "{}", null)).hasToString(REFUSED);
        assertThat(closed.register(external, "remote://no-inbound", "{}", first).status())
                .isEqualTo(401);
        assertThat(closed.register(external, "remote://no-inbound", "{}", ADMIN).text("auth_token"))
                .isNotEmpty();
    }

    @Test
    void an_agent_that_was_deleted_is_still_answered_when_it_heartbeats() {
        String id = closed.create("External", "\"external\":true");
        String token = closed.mint(id);
        closed.delete("/workspaces/" + id, ADMIN);

        assertThat(closed.beat(id, "", token)).asString().startsWith("200 {\"status\":\"ok\",");
        assertThat(closed.get("/workspaces/" + id + "/state", token).status()).isEqualTo(404);
    }

    @Test
    void so_it_is_when_it_registers_and_nobody_else_learns_that_it_was_there() {
        String id = closed.create("External", "\"external\":true");
        String token = closed.mint(id);
        closed.delete("/workspaces/" + id, ADMIN);

        assertThat(closed.register(id, URL, "{}", token)).hasToString("200 {\"status\":\"registered\"}");
        assertThat(closed.register(id, URL, "{}", null)).hasToString(REFUSED);
        assertThat(closed.register(id, URL, "{}", "garbage")).hasToString(INVALID);
    }

    @Test
    void a_bad_address_tells_a_stranger_nothing() {
        String id = closed.create("Managed");
        startToken(closed, id, 1);
        closed.bus
                .call(
                        RecordEndpoint.CONTRACT,
                        new RecordEndpoint(UUID.fromString(id), 1, "http://127.0.0.1:9", "http://127.0.0.1:9"))
                .await();

        for (String one : new String[] {id, UUID.randomUUID().toString()}) {
            assertThat(closed.register(one, METADATA, "{}", null)).hasToString(REFUSED);
            assertThat(closed.register(one, METADATA, "{}", "guessed")).hasToString(INVALID);
        }
    }

    @Test
    void who_may_come_in_is_told_what_is_wrong_with_its_address() {
        String invited =
                closed.post("/invitations", "{\"name\":\"Guest\"}", ADMIN).text("id");

        for (var answer : List.of(
                closed.register(invited, METADATA, "{}", null),
                closed.register(UUID.randomUUID().toString(), METADATA, "{}", ADMIN),
                open.register(UUID.randomUUID().toString(), METADATA, "{}", null))) {
            assertThat(answer)
                    .hasToString("400 {\"error\":\"url is not at a public address; private networks are opened by"
                            + " MOLECULE_AGENT_NETWORKS\"}");
        }
    }

    @Test
    void minted_tokens_end_in_production_and_where_it_is_said() {
        var clock = new MovableClock();
        try (var production = RunningRegistry.startInProduction(clock)) {
            String id = production.create("External", "\"external\":true");
            String month = production.mint(id);
            var hour = production.post("/workspaces/" + id + "/tokens", "{\"expires_in_seconds\":3600}", ADMIN);
            assertThat(hour.json().has("expires_at")).isTrue();
            assertThat(production
                            .post("/workspaces/" + id + "/tokens", "{\"expires_in_seconds\":0}", ADMIN)
                            .status())
                    .isEqualTo(400);

            clock.advance(Duration.ofMinutes(61));
            production.mint(id); // forgets the verdicts
            assertThat(production.beat(id, "", hour.text("auth_token")).status())
                    .isEqualTo(401);
            assertThat(production.beat(id, "", month).status()).isEqualTo(200);
            clock.advance(Duration.ofDays(30));
            production.mint(id);
            assertThat(production.beat(id, "", month).status()).isEqualTo(401);
        }
        try (var unset = RunningRegistry.start()) {
            String id = unset.create("External", "\"external\":true");
            assertThat(unset.post("/workspaces/" + id + "/tokens", "", ADMIN)
                            .json()
                            .has("expires_at"))
                    .isFalse();
        }
    }

    /** As no signature can be, which is why a start's token has none (docs/adr/0092). */
    @Test
    void a_starts_token_is_put_off_by_its_use_and_ends_when_nobody_uses_it() {
        var clock = new MovableClock();
        try (var production = RunningRegistry.startInProduction(clock)) {
            String id = production.create("Managed");
            String token = startToken(production, id);

            clock.advance(Duration.ofHours(23));
            production.mint(id); // forgets the verdicts
            assertThat(production.beat(id, "", token).status()).isEqualTo(200);
            await().until(() -> production
                            .sql(
                                    "SELECT 1 FROM registry.workspace_tokens WHERE workspace_id = $1 AND incarnation IS NOT NULL AND expires_at > $2",
                                    UUID.fromString(id),
                                    clock.instant().plus(Duration.ofHours(23)).atOffset(ZoneOffset.UTC))
                            .size()
                    == 1);
            clock.advance(Duration.ofHours(23));
            production.mint(id);
            assertThat(production.beat(id, "", token).status()).isEqualTo(200);

            clock.advance(Duration.ofHours(48));
            production.mint(id);
            assertThat(production.beat(id, "", token).status()).isEqualTo(401);
            assertThat(production.beat(id, "", startToken(production, id)).status())
                    .isEqualTo(200);
        }
        try (var unset = RunningRegistry.start()) {
            String id = unset.create("Managed");
            startToken(unset, id);
            assertThat(unset.sql(
                            "SELECT 1 FROM registry.workspace_tokens WHERE workspace_id = $1 AND incarnation IS NOT NULL AND expires_at IS NULL",
                            UUID.fromString(id)))
                    .hasSize(1);
        }
    }

    private static String startToken(RunningRegistry registry, String id) {
        int incarnation = registry.sql("SELECT incarnation FROM registry.workspaces WHERE id = $1", UUID.fromString(id))
                .iterator()
                .next()
                .getInteger("incarnation");
        return startToken(registry, id, incarnation);
    }

    @Test
    void a_card_that_is_too_large_is_refused_wherever_it_comes_from() {
        String card = "{\"name\":\"%s\"}".formatted("x".repeat(64 * 1024));
        String id = closed.create("External", "\"external\":true");
        String token = closed.mint(id);
        String tooLarge = "413 {\"error\":\"agent_card must be at most 65536 bytes\"}";

        assertThat(closed.register(id, URL, card, token)).hasToString(tooLarge);
        assertThat(closed.post(
                        "/registry/update-card",
                        "{\"workspace_id\":\"%s\",\"agent_card\":%s}".formatted(id, card),
                        token))
                .hasToString(tooLarge);
        assertThat(closed.see(id).path("agent_card").isNull()).isTrue();
    }

    private static boolean allowed(String caller, String target) {
        return open.bus
                .call(ResolveRoute.CONTRACT, new ResolveRoute(UUID.fromString(target), UUID.fromString(caller)))
                .await()
                .allowed();
    }

    private static String discover(RunningRegistry registry, String caller, String token, String target) {
        return registry.get("/registry/discover/" + target, token, "X-Workspace-ID", caller)
                .toString();
    }

    static String startToken(RunningRegistry registry, String id, int incarnation) {
        return registry.bus
                .call(IssueStartToken.CONTRACT, new IssueStartToken(UUID.fromString(id), incarnation))
                .await()
                .token();
    }

    private static void revokeAll(RunningRegistry registry, String id, String token) {
        Answer listed = registry.get("/workspaces/" + id + "/tokens", token);
        listed.json()
                .path("tokens")
                .forEach(one -> registry.delete(
                        "/workspaces/%s/tokens/%s".formatted(id, one.path("id").asText()), ADMIN));
    }

    static void want(RunningRegistry registry, String id, SetDesired.Action action) {
        registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(UUID.fromString(id), action, null, null))
                .await();
    }
}
