package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /org/tokens}: bearers for the whole organisation. */
class UsingOrgTokensTest {

    private static final MovableClock CLOCK = new MovableClock();

    private static final String GONE = "404 {\"error\":\"token not found or already revoked\"}";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(CLOCK);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @BeforeEach
    void startANewHour() {
        registry.sql("DELETE FROM org_tokens");
        CLOCK.advance(Duration.ofHours(1));
    }

    @Test
    void a_token_is_shown_once_and_listed_with_who_made_it() {
        var first = registry.post("/org/tokens", "", ADMIN);
        String token = first.text("auth_token");
        CLOCK.advance(Duration.ofSeconds(1));
        var second = registry.post("/org/tokens", "{\"name\":\"CI\"}", token);
        CLOCK.advance(Duration.ofSeconds(1));
        var third = registry.send(HttpMethod.POST, "/org/tokens", "{}", ADMIN, "Cookie", "session=1");

        assertThat(token).hasSize(43);
        assertThat(first)
                .hasToString(
                        ("200 {\"id\":\"%s\",\"prefix\":\"%s\",\"auth_token\":\"%s\",\"warning\":\"copy this token now;"
                                        + " it will not be shown again\"}")
                                .formatted(first.text("id"), token.substring(0, 8), token));
        assertThat(second.text("name")).isEqualTo("CI");

        var listed = registry.get("/org/tokens", ADMIN).json();
        assertThat(listed.path("count").asInt()).isEqualTo(3);
        assertThat(listed.path("tokens").findValuesAsText("created_by"))
                .containsExactly("session", "org-token:" + token.substring(0, 8), "admin-token");
        assertThat(listed.path("tokens").findValuesAsText("id"))
                .containsExactly(third.text("id"), second.text("id"), first.text("id"));
        assertThat(listed.path("tokens").get(2).has("name")).isFalse();
        assertThat(listed.path("tokens").get(2).has("last_used_at")).isFalse();
        assertThat(listed.toString()).doesNotContain(token);
        assertThat(registry.get("/org/tokens", null)).hasToString("401 {\"error\":\"admin auth required\"}");
    }

    @Test
    void it_passes_as_an_administrator_and_as_every_workspace_but_not_where_an_agent_must_prove_itself() {
        String id = registry.create("Agent");
        registry.token(id);
        String token = mint().text("auth_token");

        assertThat(registry.get("/workspaces", token).status()).isEqualTo(200);
        assertThat(registry.get("/workspaces/" + id + "/tokens", token).status())
                .isEqualTo(200);
        assertThat(registry.get("/workspaces/" + id, token).json().has("current_task"))
                .isTrue();
        assertThat(registry.get("/registry/discover/" + id, token).text("status"))
                .isEqualTo("provisioning");
        assertThat(registry.beat(id, "", token)).hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.get("/workspaces/" + id + "/state", token).status()).isEqualTo(401);
        assertThat(registry.get("/registry/" + id + "/peers", token).status()).isEqualTo(401);
        assertThat(registry.send(HttpMethod.PUT, "/canvas/viewport", "{}", token))
                .hasToString("401 {\"error\":\"invalid admin auth token\"}");
        assertThat(registry.get("/admin/workspaces/" + id + "/test-token", token)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void a_revoked_one_is_refused_at_once_and_everybody_is_told() {
        List<TokensChanged> told = new CopyOnWriteArrayList<>();
        registry.bus.listen(TokensChanged.HINT, told::add);
        var minted = mint();
        String token = minted.text("auth_token");
        assertThat(registry.get("/workspaces", token).status()).isEqualTo(200); // its verdict is remembered now

        assertThat(registry.delete("/org/tokens/" + minted.text("id"), token))
                .hasToString("200 {\"revoked\":\"%s\"}".formatted(minted.text("id")));

        assertThat(registry.get("/workspaces", token)).hasToString("401 {\"error\":\"invalid admin auth token\"}");
        assertThat(registry.get("/org/tokens", ADMIN)).hasToString("200 {\"tokens\":[],\"count\":0}");
        assertThat(registry.delete("/org/tokens/" + minted.text("id"), ADMIN)).hasToString(GONE);
        await().until(() -> told.contains(new TokensChanged(null)));
    }

    @Test
    void without_an_admin_token_any_workspace_may_make_one_and_is_remembered_for_it() {
        try (var bare = RunningRegistry.startBare()) {
            String id = bare.post("/workspaces", "{\"name\":\"First\"}", null).text("id");
            String own =
                    bare.get("/admin/workspaces/" + id + "/test-token", null).text("auth_token");

            assertThat(bare.post("/org/tokens", "", own).status()).isEqualTo(200);
            assertThat(bare.get("/org/tokens", own).json().findValuesAsText("created_by"))
                    .containsExactly("workspace:" + id);
        }
    }

    @Test
    void an_org_token_alone_does_not_close_the_door_that_is_open_while_no_workspace_has_one() {
        try (var bare = RunningRegistry.startBare()) {
            bare.post("/org/tokens", "", null);

            assertThat(bare.get("/workspaces", null)).hasToString("200 []");
        }
    }

    @Test
    void the_eleventh_within_an_hour_is_refused() {
        for (int i = 0; i < 10; i++) {
            mint();
        }

        var refused = registry.post("/org/tokens", "", ADMIN);

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.text("error")).isEqualTo("rate limit exceeded");
        assertThat(refused.json().path("retry_after").asLong()).isBetween(1L, 3600L);
        assertThat(registry.get("/org/tokens", ADMIN).json().path("count").asInt())
                .isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"name\":7}", "{\"name\":\"a\\u0000b\"}", "[]", "{", "null"})
    void a_body_that_makes_no_sense_makes_no_token(String body) {
        assertThat(registry.post("/org/tokens", body, ADMIN)).hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.count("org_tokens")).isZero();
    }

    @Test
    void a_name_holds_a_hundred_characters_and_no_more() {
        String hundred = "\u00e9".repeat(100);

        assertThat(registry.post("/org/tokens", "{\"name\":\"%sx\"}".formatted(hundred), ADMIN))
                .hasToString("400 {\"error\":\"name too long (max 100 chars)\"}");
        assertThat(registry.post("/org/tokens", "{\"name\":\"%s\"}".formatted(hundred), ADMIN)
                        .text("name"))
                .isEqualTo(hundred);
        assertThat(registry.post("/org/tokens", "{\"name\":null}", ADMIN).json().has("name"))
                .isFalse();
    }

    @Test
    void what_is_no_token_cannot_be_revoked() {
        assertThat(registry.delete("/org/tokens/" + UUID.randomUUID(), ADMIN)).hasToString(GONE);
        assertThat(registry.delete("/org/tokens/nonsense", ADMIN)).hasToString(GONE);
        assertThat(registry.delete("/org/tokens/%00", ADMIN)).hasToString(GONE);
    }

    private static Answer mint() {
        var minted = registry.post("/org/tokens", "", ADMIN);
        assertThat(minted.status()).as(minted.toString()).isEqualTo(200);
        return minted;
    }
}
