package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.registry.RunningRegistry.Answer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /workspaces/:id/budget}, and who may still be called. */
class KeepingBudgetsTest {

    private static final MovableClock CLOCK = new MovableClock();

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

    @Test
    void a_budget_is_set_raised_and_taken_away_and_the_rest_may_be_negative() {
        String id = registry.create("Agent");
        String none = "200 {\"budget_limit\":null,\"monthly_spend\":0,\"budget_remaining\":null}";
        assertThat(budget(id)).hasToString(none);

        assertThat(limit(id, "500"))
                .hasToString("200 {\"budget_limit\":500,\"monthly_spend\":0,\"budget_remaining\":500}");
        registry.beat(id, ",\"monthly_spend\":620", null);
        assertThat(budget(id))
                .hasToString("200 {\"budget_limit\":500,\"monthly_spend\":620,\"budget_remaining\":-120}");
        assertThat(limit(id, "0"))
                .hasToString("200 {\"budget_limit\":0,\"monthly_spend\":620,\"budget_remaining\":-620}");
        assertThat(limit(id, "null"))
                .hasToString("200 {\"budget_limit\":null,\"monthly_spend\":620,\"budget_remaining\":null}");
    }

    @Test
    void a_team_has_a_limit_of_its_own_that_all_below_it_are_told_of() {
        String lead = registry.create("Lead");
        String agent = registry.create("Agent", "\"parent_id\":\"" + lead + "\"");

        assertThat(patch(lead, "{\"team_limit\":50,\"team_period\":\"day\"}"))
                .hasToString("200 {\"budget_limit\":null,\"monthly_spend\":0,\"budget_remaining\":null,"
                        + "\"team_limit\":50,\"team_period\":\"day\"}");
        assertThat(limit(lead, "10").json().path("team_limit").asInt()).isEqualTo(50);

        assertThat(standing(agent).teams()).containsExactly(new BudgetOf.Team(UUID.fromString(lead), 50L, "day"));
        assertThat(standing(agent).limitCents()).isNull();
        assertThat(standing(lead).teams()).hasSize(1);
        assertThat(standing(registry.create("Alone")).teams()).isEmpty();
        assertThat(patch(lead, "{\"team_limit\":null}").json().has("team_limit"))
                .isFalse();
    }

    @Test
    void a_teams_limit_is_checked_like_ones_own() {
        String id = registry.create("Agent");

        assertThat(patch(id, "{\"team_limit\":-1}"))
                .hasToString("400 {\"error\":\"team_limit must be >= 0 (USD cents)\"}");
        assertThat(patch(id, "{\"team_limit\":\"x\"}").status()).isEqualTo(400);
        assertThat(patch(id, "{\"team_limit\":1,\"team_period\":\"week\"}"))
                .hasToString("400 {\"error\":\"team_period must be month, day or all\"}");
        assertThat(standing(id).teams()).isEmpty();
    }

    @Test
    void the_limit_given_at_creation_is_the_budget() {
        assertThat(budget(registry.create("Agent", "\"budget_limit\":100")))
                .hasToString("200 {\"budget_limit\":100,\"monthly_spend\":0,\"budget_remaining\":100}");
    }

    @Test
    void at_its_limit_a_workspace_cannot_be_called_until_the_limit_is_raised() {
        List<WorkspaceChanged> told = new CopyOnWriteArrayList<>();
        registry.bus.listen(WorkspaceChanged.HINT, told::add);
        String id = registry.create("Agent", "\"budget_limit\":100");
        registry.beat(id, ",\"monthly_spend\":99", null); // brings it online, which is told as version 2
        assertThat(exceeded(id)).isFalse();
        registry.beat(id, ",\"monthly_spend\":98", null);
        registry.beat(id, ",\"monthly_spend\":100", null);
        assertThat(exceeded(id)).isTrue();
        registry.beat(id, ",\"monthly_spend\":100", null);

        limit(id, "101");
        assertThat(exceeded(id)).isFalse();

        await().until(() -> versions(told, id).contains(3L));
        assertThat(versions(told, id)).containsExactly(1L, 2L, 2L, 3L); // once for the spend that reached the limit
    }

    @Test
    void spend_that_is_not_said_again_holds_for_its_calendar_month() {
        CLOCK.advance(Duration.between(CLOCK.instant(), startOfNextMonth())); // so that the hour below is in one month
        String id = registry.create("Agent", "\"budget_limit\":100");
        registry.beat(id, ",\"monthly_spend\":150", null);
        CLOCK.advance(Duration.ofHours(1));
        registry.beat(id, "", null);
        assertThat(budget(id).json().path("monthly_spend").asInt()).isEqualTo(150);

        CLOCK.advance(Duration.between(CLOCK.instant(), startOfNextMonth()));
        registry.beat(id, "", null);

        assertThat(budget(id).json().path("monthly_spend").asInt()).isZero();
        assertThat(exceeded(id)).isFalse();
    }

    @Test
    void an_agent_that_reported_nothing_since_last_month_has_spent_nothing_this_month() {
        String id = registry.create("Asleep", "\"budget_limit\":100");
        registry.beat(id, ",\"monthly_spend\":500", null);
        assertThat(exceeded(id)).isTrue();

        registry.sql("UPDATE heartbeats SET spend_month = '2026-01-01' WHERE workspace_id = $1", UUID.fromString(id));

        assertThat(exceeded(id)).isFalse();
        assertThat(budget(id)).hasToString("200 {\"budget_limit\":100,\"monthly_spend\":0,\"budget_remaining\":100}");
        assertThat(standing(id).reportedCents()).isZero();
        assertThat(registry.see(id).path("monthly_spend").asInt()).isZero();
        assertThat(limit(id, "200"))
                .hasToString("200 {\"budget_limit\":200,\"monthly_spend\":0,\"budget_remaining\":200}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|budget_limit field is required",
                "{\"limit\":5}|budget_limit field is required",
                "{\"budget_limit\":-1}|budget_limit must be >= 0 (USD cents)",
                "{\"budget_limit\":1.5}|budget_limit must be an integer (USD cents) or null",
                "{\"budget_limit\":\"5\"}|budget_limit must be an integer (USD cents) or null",
                "{\"budget_limit\":true}|budget_limit must be an integer (USD cents) or null",
                "{\"budget_limit\":{}}|budget_limit must be an integer (USD cents) or null",
                "{\"budget_limit\":9223372036854775808}|budget_limit must be an integer (USD cents) or null",
                "{\"budget_limit\":1e999999}|invalid request body",
                "[]|invalid request body",
                "{|invalid request body"
            })
    void a_limit_that_is_none_is_refused_and_changes_nothing(String body, String error) {
        String id = registry.create("Agent", "\"budget_limit\":100");

        assertThat(registry.patch("/workspaces/" + id + "/budget", body, ADMIN))
                .hasToString("400 {\"error\":\"%s\"}".formatted(error));
        assertThat(budget(id).json().path("budget_limit").asInt()).isEqualTo(100);
    }

    @Test
    void a_limit_may_be_as_large_as_can_be_counted_and_whole_however_it_is_written() {
        String id = registry.create("Agent");

        assertThat(limit(id, "9223372036854775807").json().path("budget_limit").asLong())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(limit(id, "1e2").json().path("budget_limit").asLong()).isEqualTo(100);
    }

    @Test
    void an_agent_sees_its_budget_and_cannot_change_it() {
        String id = registry.create("Agent");
        String token = registry.token(id);

        assertThat(registry.get("/workspaces/" + id + "/budget", token).status())
                .isEqualTo(200);
        assertThat(registry.patch("/workspaces/" + id + "/budget", "{\"budget_limit\":null}", token))
                .hasToString("401 {\"error\":\"invalid admin auth token\"}");
        registry.patch("/workspaces/" + id, "{\"budget_limit\":7}", ADMIN);
        assertThat(budget(id).json().path("budget_limit").isNull()).isTrue();
    }

    @Test
    void unknown_and_removed_workspaces_have_none() {
        String id = registry.create("Agent");
        registry.delete("/workspaces/" + id, ADMIN);

        for (String gone : List.of(id, UUID.randomUUID().toString())) {
            assertThat(budget(gone)).hasToString("404 {\"error\":\"workspace not found\"}");
            assertThat(limit(gone, "1")).hasToString("404 {\"error\":\"workspace not found\"}");
        }
        assertThat(budget("nonsense")).hasToString("400 {\"error\":\"invalid workspace ID\"}");
    }

    private static Answer budget(String id) {
        return registry.get("/workspaces/" + id + "/budget", ADMIN);
    }

    private static Answer patch(String id, String body) {
        return registry.patch("/workspaces/" + id + "/budget", body, ADMIN);
    }

    private static BudgetOf.Standing standing(String id) {
        return registry.bus
                .call(BudgetOf.CONTRACT, new BudgetOf(UUID.fromString(id)))
                .await();
    }

    private static Answer limit(String id, String limit) {
        return registry.patch("/workspaces/" + id + "/budget", "{\"budget_limit\":%s}".formatted(limit), ADMIN);
    }

    private static boolean exceeded(String id) {
        return registry.bus
                .call(ResolveRoute.CONTRACT, new ResolveRoute(UUID.fromString(id), null))
                .await()
                .budgetExceeded();
    }

    private static List<Long> versions(List<WorkspaceChanged> told, String id) {
        return told.stream()
                .filter(hint -> hint.workspaceId().equals(UUID.fromString(id)))
                .map(WorkspaceChanged::version)
                .toList();
    }

    private static Instant startOfNextMonth() {
        return CLOCK.instant()
                .atZone(ZoneOffset.UTC)
                .toLocalDate()
                .withDayOfMonth(1)
                .plusMonths(1)
                .atStartOfDay(ZoneOffset.UTC)
                .toInstant();
    }
}
