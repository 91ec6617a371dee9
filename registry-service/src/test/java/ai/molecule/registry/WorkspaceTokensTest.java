package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.tokens.TokenService;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tokens by hand, the test token, and tokens bound to a start. */
class WorkspaceTokensTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void a_token_is_shown_once_listed_by_prefix_and_revoked_for_good() {
        String id = registry.create("Agent");
        String path = "/workspaces/" + id + "/tokens";

        var created = registry.post(path, "", ADMIN);
        String token = created.text("auth_token");
        var listed = registry.get(path, token).json();
        var entry = listed.path("tokens").get(0);

        assertThat(created.status()).isEqualTo(201);
        assertThat(created.body())
                .isEqualTo(
                        ("{\"auth_token\":\"%s\",\"workspace_id\":\"%s\",\"message\":\"Save this token now — it cannot"
                                        + " be retrieved again.\"}")
                                .formatted(token, id));
        assertThat(listed.path("count").asInt()).isEqualTo(1);
        assertThat(entry.path("prefix").asText()).isEqualTo(token.substring(0, 8));
        assertThat(entry.path("last_used_at").isNull()).isTrue();

        String one = path + "/" + entry.path("id").asText();
        assertThat(registry.delete(one, token)).hasToString("200 {\"status\":\"revoked\"}");
        assertThat(registry.get(path, token)).hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.delete(one, ADMIN)).hasToString("404 {\"error\":\"token not found or already revoked\"}");
        assertThat(registry.delete(path + "/nonsense", ADMIN).status()).isEqualTo(404);
        assertThat(registry.beat(id, "", null).status()).isEqualTo(200);
    }

    @Test
    void fifty_are_enough_but_test_tokens_are_not_counted_out() {
        String id = registry.create("Agent");
        for (int i = 0; i < 50; i++) {
            registry.token(id);
        }

        assertThat(registry.post("/workspaces/" + id + "/tokens", "", ADMIN))
                .hasToString("429 {\"error\":\"maximum 50 active tokens per workspace\"}");
        assertThat(registry.token(id)).hasSize(43);
        assertThat(registry.get("/workspaces/" + id + "/tokens?limit=7", ADMIN)
                        .json()
                        .path("count")
                        .asInt())
                .isEqualTo(7);
        assertThat(registry.get("/workspaces/" + id + "/tokens?limit=x", ADMIN)
                        .json()
                        .path("count")
                        .asInt())
                .isEqualTo(50);
    }

    @Test
    void the_test_token_is_for_the_administrator_and_for_workspaces_that_exist() {
        String id = registry.create("Agent");

        assertThat(registry.get("/admin/workspaces/" + id + "/test-token", null))
                .hasToString("401 {\"error\":\"admin auth required\"}");
        assertThat(registry.get("/admin/workspaces/" + UUID.randomUUID() + "/test-token", ADMIN))
                .hasToString("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void production_hands_out_no_test_tokens() {
        try (var production = RunningRegistry.start(
                "MOLECULE_ENV", "production", "SECRETS_ENCRYPTION_KEY", "0123456789-abcdef-0123456789-abc")) {
            String id = production.create("Agent");

            assertThat(production.get("/admin/workspaces/" + id + "/test-token", ADMIN))
                    .hasToString("404 {\"error\":\"not found\"}");
        }
    }

    @Test
    void the_token_of_an_earlier_start_holds_for_a_minute_after_the_next_one_got_its_own() {
        var clock = new MovableClock();
        try (var timed = RunningRegistry.startAt(clock)) {
            var id = UUID.fromString(timed.create("Ours"));
            String first = startToken(timed, id, 1);
            timed.bus
                    .call(SetDesired.CONTRACT, new SetDesired(id, SetDesired.Action.RESTART, null, null))
                    .await();
            String second = startToken(timed, id, 2);
            assertThat(timed.beat(id.toString(), "", first).status()).isEqualTo(200);

            clock.advance(Duration.ofSeconds(61));
            timed.token(id.toString()); // forgets the verdicts about it

            String replaced = "401 {\"error\":\"workspace auth token belongs to an earlier start of this agent\"}";
            assertThat(timed.beat(id.toString(), "", first)).hasToString(replaced);
            assertThat(timed.register(id.toString(), "http://localhost:1", "{}", first))
                    .hasToString(replaced);
            assertThat(timed.beat(id.toString(), "", "garbage"))
                    .hasToString("401 {\"error\":\"invalid workspace auth token\"}");
            assertThat(timed.beat(id.toString(), "", second).status()).isEqualTo(200);
        }
    }

    @Test
    void a_start_leaves_tokens_alone_that_expire_before_its_overlap_ends() {
        var clock = new MovableClock();
        try (var timed = RunningRegistry.startAt(clock)) {
            var id = UUID.fromString(timed.create("Ours"));
            startToken(timed, id, 1);
            restart(timed, id);
            startToken(timed, id, 2);
            String written = writtenBy(timed, id, 1);

            clock.advance(Duration.ofSeconds(61));
            restart(timed, id);
            startToken(timed, id, 3);

            assertThat(writtenBy(timed, id, 1)).isEqualTo(written);
            assertThat(writtenBy(timed, id, 2)).isNotEqualTo(written);
        }
    }

    @Test
    void tokens_are_deleted_a_day_after_they_expired() {
        var clock = new MovableClock();
        try (var timed = RunningRegistry.startAt(clock)) {
            var id = UUID.fromString(timed.create("Ours"));
            var cutOff = UUID.fromString(timed.create("Suspect"));
            startToken(timed, id, 1);
            restart(timed, id);
            String kept = startToken(timed, id, 2);
            String revoked = startToken(timed, cutOff, 1);
            restart(timed, cutOff);
            startToken(timed, cutOff, 2);
            timed.post("/workspaces/" + cutOff + "/quarantine", "", ADMIN);
            timed.sql("""
                    INSERT INTO workspace_tokens (id, workspace_id, token_hash, prefix, incarnation, created_at, expires_at)
                    SELECT gen_random_uuid(), $1, sha256(convert_to(n::text, 'UTF8')), 'old', 1, $2, $2
                    FROM generate_series(1, 2500) AS n
                    """, id, clock.instant().minus(Duration.ofDays(2)).atOffset(ZoneOffset.UTC));
            var tokens = new TokenService(new PgTokenStore(timed.database), timed.bus, clock);

            assertThat(tokens.deleteExpired().await()).isEqualTo(2_500);
            assertThat(tokens.deleteExpired().await()).isZero();
            clock.advance(Duration.ofDays(1).plusSeconds(61));
            assertThat(tokens.deleteExpired().await()).isEqualTo(1);

            assertThat(timed.count("workspace_tokens")).isEqualTo(3);
            assertThat(timed.beat(id.toString(), "", kept).status()).isEqualTo(200);
            assertThat(timed.get("/workspaces/" + cutOff + "/state", revoked).body())
                    .contains("\"quarantined\":true");
        }
    }

    @Test
    void a_start_that_asks_twice_is_left_with_one_token() {
        var id = UUID.fromString(registry.create("Ours"));

        String lost = startToken(registry, id, 1);
        String kept = startToken(registry, id, 1);

        assertThat(registry.beat(id.toString(), "", lost).status()).isEqualTo(401);
        assertThat(registry.beat(id.toString(), "", kept).status()).isEqualTo(200);
    }

    /** Who asks because something changed must not be told what was true before, whichever replica it asks. */
    @Test
    void what_other_services_ask_about_a_token_is_read_anew() {
        String id = registry.create("Agent");
        String token = registry.token(id);
        var question = new VerifyToken(Credentials.hashOf(token), null);
        assertThat(registry.bus.call(VerifyToken.CONTRACT, question).await().holder())
                .isEqualTo(VerifyToken.Holder.WORKSPACE);

        registry.sql("UPDATE workspace_tokens SET revoked_at = now() WHERE workspace_id = $1", UUID.fromString(id));

        assertThat(registry.bus.call(VerifyToken.CONTRACT, question).await().holder())
                .isEqualTo(VerifyToken.Holder.NOBODY);
    }

    private static void restart(RunningRegistry registry, UUID id) {
        registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(id, SetDesired.Action.RESTART, null, null))
                .await();
    }

    /** The transaction that wrote the token of a start last. */
    private static String writtenBy(RunningRegistry registry, UUID id, int incarnation) {
        return registry.sql(
                        "SELECT xmin::text FROM workspace_tokens WHERE workspace_id = $1 AND incarnation = $2",
                        id,
                        incarnation)
                .iterator()
                .next()
                .getString(0);
    }

    private static String startToken(RunningRegistry registry, UUID id, int incarnation) {
        return registry.bus
                .call(IssueStartToken.CONTRACT, new IssueStartToken(id, incarnation))
                .await()
                .token();
    }
}
