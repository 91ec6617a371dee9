package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.http.HttpMethod;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /instructions}, and what of them holds for a workspace. */
class KeepingHouseRulesTest {

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

    @AfterEach
    void forget() {
        registry.get("/instructions", ADMIN)
                .json()
                .forEach(rule ->
                        registry.delete("/instructions/" + rule.path("id").asText(), ADMIN));
    }

    @Test
    void an_agent_reads_those_of_all_of_its_teams_from_the_highest_and_its_own() {
        String lead = registry.create("Lead");
        String middle = below(lead, "Middle");
        String member = below(middle, "Member");
        String stranger = registry.create("Stranger");
        rule("workspace", member, "Own", "Count twice.", "");
        rule("team", middle, "Middle team", "Ask before noon.", "");
        rule("team", lead, "Team", "Write plainly.", "");
        rule("global", null, "Later", "Second.", "");
        rule("global", null, "Sooner", "First.", ",\"priority\":5");
        rule("global", null, "Off", "Never read.", ",\"enabled\":false");

        assertThat(rulesOf(member, registry.token(member))).isEqualTo("""
                ## Platform-Wide Rules

                ### Sooner

                First.

                ### Later

                Second.

                ## Team Rules

                ### Team

                Write plainly.

                ### Middle team

                Ask before noon.

                ## Role-Specific Rules

                ### Own

                Count twice.""");
        assertThat(rulesOf(lead, ADMIN)).endsWith("## Team Rules\n\n### Team\n\nWrite plainly.");
        assertThat(rulesOf(stranger, ADMIN)).endsWith("### Later\n\nSecond.");
        assertThat(registry.get("/instructions?workspace_id=" + stranger, ADMIN).json())
                .hasSize(3);
        assertThat(registry.get("/instructions?scope=team&workspace_id=" + member, ADMIN)
                        .json())
                .hasSize(2);
        assertThat(registry.get("/instructions", ADMIN).json()).hasSize(6);
    }

    @Test
    void without_rules_there_is_nothing_to_read() {
        String id = registry.create("Agent");

        assertThat(registry.get(resolve(id), ADMIN))
                .hasToString("200 {\"workspace_id\":\"%s\",\"instructions\":\"\"}".formatted(id));
    }

    @Test
    void a_rule_is_changed_in_part_and_taken_back_and_each_change_is_told() {
        String id = rule("global", null, "Title", "Words.", "").text("id");

        assertThat(put(id, "{\"content\":\"Other words.\",\"priority\":3}"))
                .hasToString("200 {\"status\":\"updated\"}");
        var rule = registry.get("/instructions?scope=global", ADMIN).json().get(0);
        assertThat(rule.path("title").asText()).isEqualTo("Title");
        assertThat(rule.path("content").asText()).isEqualTo("Other words.");
        assertThat(rule.path("priority").asInt()).isEqualTo(3);
        assertThat(rule.path("scope_target").isNull()).isTrue();
        assertThat(registry.delete("/instructions/" + id, ADMIN)).hasToString("200 {\"status\":\"deleted\"}");

        assertThat(registry.delete("/instructions/" + id, ADMIN))
                .hasToString("404 {\"error\":\"instruction not found\"}");
        assertThat(put(id, "{\"title\":\"T\"}")).hasToString("404 {\"error\":\"instruction not found\"}");
        assertThat(put("nonsense", "{\"title\":\"T\"}")).hasToString("404 {\"error\":\"instruction not found\"}");
        assertThat(put(id, "{}")).hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(told(id)).containsExactly("created", "updated", "deleted");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | scope, title, and content are required",
                "{\"scope\":\"global\",\"title\":\"t\"} | scope, title, and content are required",
                "{\"scope\":\"global\",\"title\":\" \",\"content\":\"c\"} | scope, title, and content are required",
                "{\"scope\":\"planet\",\"title\":\"t\",\"content\":\"c\"} | scope must be global, team or workspace",
                "{\"scope\":\"team\",\"title\":\"t\",\"content\":\"c\"} | scope_target required for team scope",
                "{\"scope\":\"workspace\",\"title\":\"t\",\"content\":\"c\"} | scope_target required for workspace scope",
                "{\"scope\":\"team\",\"scope_target\":\"x\",\"title\":\"t\",\"content\":\"c\"} | scope_target must be the id of a workspace",
                "{\"scope\":\"team\",\"scope_target\":\"7f000000-0000-4000-8000-000000000000\",\"title\":\"t\",\"content\":\"c\"} | scope_target must be the id of a workspace",
                "{\"scope\":\"global\",\"scope_target\":\"x\",\"title\":\"t\",\"content\":\"c\"} | scope_target is for team and workspace scope",
                "{\"scope\":\"global\",\"title\":\"a\\nb\",\"content\":\"c\"} | title must be one line",
                "[] | invalid request body"
            })
    void what_is_no_rule_is_refused_and_changes_nothing(String body, String why) {
        assertThat(registry.post("/instructions", body, ADMIN)).hasToString("400 {\"error\":\"%s\"}".formatted(why));
        assertThat(registry.get("/instructions", ADMIN).json()).isEmpty();
    }

    @Test
    void texts_have_bounds() {
        assertThat(rule("global", null, "t".repeat(201), "c", "").text("error")).isEqualTo("title exceeds 200 chars");
        assertThat(rule("global", null, "t", "c".repeat(8193), "").text("error"))
                .isEqualTo("content exceeds 8192 chars");
        assertThat(rule("global", null, "t".repeat(200), "c".repeat(8192), "").status())
                .isEqualTo(201);
    }

    @Test
    void what_does_not_fit_into_a_prompt_is_left_out_and_said_to_be() {
        String id = registry.create("Agent");
        for (int nth = 0; nth < 10; nth++) {
            rule("global", null, "Long " + nth, "c".repeat(8192), "");
        }

        assertThat(rulesOf(id, ADMIN))
                .hasSizeLessThan(64 * 1024 + 200)
                .contains("### Long 6")
                .doesNotContain("### Long 7")
                .endsWith("(3 more rules are left out: together they are too long.)");
    }

    @Test
    void of_one_scope_and_target_there_are_at_most_fifty_whoever_comes_at_once() {
        String id = registry.create("Agent");
        for (int nth = 0; nth < 48; nth++) {
            rule("workspace", id, "t", "c", "");
        }

        var statuses = IntStream.range(0, 4)
                .mapToObj(nth -> CompletableFuture.supplyAsync(() -> rule("workspace", id, "t", "c", "")))
                .toList()
                .stream()
                .map(answer -> answer.join().status())
                .sorted()
                .toList();

        assertThat(statuses).containsExactly(201, 201, 409, 409);
        assertThat(rule("workspace", id, "t", "c", ""))
                .hasToString("409 {\"error\":\"maximum 50 instructions of one scope\"}");
        assertThat(rule("workspace", registry.create("Other"), "t", "c", "").status())
                .isEqualTo(201);
    }

    @Test
    void rules_go_with_their_workspace_and_are_nobody_elses_to_read() {
        String id = registry.create("Agent");
        String other = registry.create("Other");
        rule("workspace", id, "t", "c", "");

        assertThat(registry.get(resolve(id), registry.token(other)).status()).isEqualTo(401);
        assertThat(registry.get("/instructions", registry.token(other)).status())
                .isEqualTo(401);
        registry.delete("/workspaces/" + id + "?purge=true", ADMIN);

        assertThat(registry.get("/instructions", ADMIN).json()).isEmpty();
        assertThat(registry.get(resolve(id), ADMIN).status()).isEqualTo(404);
        assertThat(registry.get(resolve(UUID.randomUUID().toString()), ADMIN))
                .hasToString("404 {\"error\":\"workspace not found\"}");
    }

    private static String below(String parent, String name) {
        return registry.post("/workspaces", "{\"name\":\"%s\",\"parent_id\":\"%s\"}".formatted(name, parent), ADMIN)
                .text("id");
    }

    private static Answer rule(String scope, @Nullable String target, String title, String content, String more) {
        String to = target == null ? "null" : "\"" + target + "\"";
        return registry.post(
                "/instructions",
                "{\"scope\":\"%s\",\"scope_target\":%s,\"title\":\"%s\",\"content\":\"%s\"%s}"
                        .formatted(scope, to, title, content, more),
                ADMIN);
    }

    private static Answer put(String id, String body) {
        return registry.send(HttpMethod.PUT, "/instructions/" + id, body, ADMIN);
    }

    private static String rulesOf(String id, String bearer) {
        return registry.get(resolve(id), bearer).text("instructions");
    }

    private static String resolve(String id) {
        return "/workspaces/" + id + "/instructions/resolve";
    }

    private static List<String> told(String id) {
        return registry
                .pool
                .preparedQuery(
                        "SELECT payload ->> 'change' FROM log.events WHERE event_type = 'INSTRUCTIONS_CHANGED' AND payload ->> 'id' = $1 ORDER BY id")
                .execute(Tuple.of(id))
                .await()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }
}
