package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.proxy.TeamSpend;
import ai.molecule.common.workspaces.TenantName;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code BUDGET_LEVEL} and, of teams and tenants, {@code LIMIT_LEVEL}: 80 and 100 percent of a budget, and when that is over. */
class TellingBudgetLevelsTest {

    private static final ConcurrentHashMap<UUID, ModelSpend.One> METERED = new ConcurrentHashMap<>();
    private static final ConcurrentHashMap<String, TeamSpend.One> TEAMS = new ConcurrentHashMap<>();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
        registry.bus
                .serve(
                        ModelSpend.CONTRACT,
                        question -> Future.succeededFuture(new ModelSpend.Spent(question.workspaceIds().stream()
                                .map(METERED::get)
                                .flatMap(Stream::ofNullable)
                                .toList())))
                .await();
        registry.bus
                .serve(
                        TeamSpend.CONTRACT,
                        question -> Future.succeededFuture(new TeamSpend.Spent(question.teams().stream()
                                .map(team -> TEAMS.get(team.id() + " " + team.kind() + " " + team.period()))
                                .flatMap(Stream::ofNullable)
                                .toList())))
                .await();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void it_is_told_when_an_agent_says_that_it_spent_so_much_and_when_the_limit_is_raised() {
        String id = registry.create("Agent", "\"budget_limit\":100");
        registry.beat(id, ",\"monthly_spend\":79", null);
        String other = registry.create("Other", "\"budget_limit\":100");
        registry.beat(other, ",\"monthly_spend\":100", null);
        awaitTold(other, "100 of 100: 100"); // so a look was taken at both
        assertThat(told(id)).isEmpty();

        registry.beat(id, ",\"monthly_spend\":80", null);
        awaitTold(id, "80 of 100: 80");
        registry.beat(id, ",\"monthly_spend\":130", null);
        awaitTold(id, "80 of 100: 80", "130 of 100: 100");
        limit(id, "1000");
        awaitTold(id, "80 of 100: 80", "130 of 100: 100", "130 of 1000: 0");
    }

    @Test
    void what_the_model_door_metered_counts_too_and_no_limit_is_no_level() {
        String id = registry.create("Agent", "\"budget_limit\":500");
        metered(id, 4_500_000, 0);
        awaitTold(id, "450 of 500: 80");
        assertThat(registry.get("/workspaces/" + id + "/budget", ADMIN))
                .hasToString("200 {\"budget_limit\":500,\"monthly_spend\":450,\"budget_remaining\":50}");

        limit(id, "null");

        awaitTold(id, "450 of 500: 80", "450 of null: 0");
    }

    @Test
    void a_call_that_the_rest_does_not_pay_uses_it_up_until_more_is_allowed() {
        String id = registry.create("Agent", "\"budget_limit\":50");
        metered(id, 300_000, 0);
        String small = registry.create("Small", "\"budget_limit\":2");
        metered(small, 18_700, 0);
        awaitTold(small, "1 of 2: 80"); // 93 percent, though but one whole cent of the two
        assertThat(told(id)).isEmpty();

        metered(id, 300_000, 250_000);
        awaitTold(id, "30 of 50: 100");

        limit(id, "100");
        awaitTold(id, "30 of 50: 100", "30 of 100: 0");
    }

    @Test
    void a_proxy_of_an_earlier_release_says_whole_cents() {
        String id = registry.create("Agent", "\"budget_limit\":10");
        METERED.put(UUID.fromString(id), new ModelSpend.One(UUID.fromString(id), 9, 0, 0));

        awaitTold(id, "9 of 10: 80");
    }

    private static void metered(String id, long micros, long refused) {
        var workspace = UUID.fromString(id);
        METERED.put(workspace, new ModelSpend.One(workspace, micros / 10_000, micros, refused));
    }

    @Test
    void of_a_team_it_is_told_too_and_of_a_call_that_its_rest_does_not_pay() {
        String id = registry.create("Team", "\"role\":\"lead\"");
        registry.patch("/workspaces/" + id + "/budget", "{\"team_limit\":200,\"team_period\":\"all\"}", ADMIN);
        var team = UUID.fromString(id);
        TEAMS.put(id + " all 1970-01-01", new TeamSpend.One(team, 1_600_000, 0));
        awaitTeam(id, "team Team 1.6 of 2: 80");

        TEAMS.put(id + " all 1970-01-01", new TeamSpend.One(team, 1_900_000, 200_000));
        awaitTeam(id, "team Team 1.6 of 2: 80", "team Team 1.9 of 2: 100");

        registry.patch("/workspaces/" + id + "/budget", "{\"team_limit\":400}", ADMIN);
        awaitTeam(id, "team Team 1.6 of 2: 80", "team Team 1.9 of 2: 100", "team Team 1.9 of 4: 0");
    }

    @Test
    void of_a_tenant_it_is_told_at_its_oldest_root_and_is_over_there_when_that_is_another() {
        String first = registry.create("Acme");
        String second = registry.create("Acme too");
        for (String root : List.of(first, second)) {
            registry.put("/workspaces/" + root + "/tenant", "{\"tenant\":\"acme\"}", ADMIN);
        }
        registry.patch("/tenants/acme/budget", "{\"budget_limit\":200,\"budget_period\":\"all\"}", ADMIN);
        var scope = TenantName.scopeOf("acme");
        TEAMS.put(scope + " all 1970-01-01", new TeamSpend.One(scope, 1_600_000, 0));
        awaitTeam(first, "tenant acme 1.6 of 2: 80");

        TEAMS.put(scope + " all 1970-01-01", new TeamSpend.One(scope, 1_900_000, 200_000));
        awaitTeam(first, "tenant acme 1.6 of 2: 80", "tenant acme 1.9 of 2: 100");

        registry.put("/workspaces/" + first + "/tenant", "{\"tenant\":null}", ADMIN);
        awaitTeam(second, "tenant acme 1.9 of 2: 100");
        awaitTeam(first, "tenant acme 1.6 of 2: 80", "tenant acme 1.9 of 2: 100", "tenant acme 1.9 of 2: 0");

        // the period stays as it was
        registry.patch("/tenants/acme/budget", "{\"budget_limit\":400}", ADMIN);
        awaitTeam(second, "tenant acme 1.9 of 2: 100", "tenant acme 1.9 of 4: 0");
        TEAMS.put(scope + " all 1970-01-01", new TeamSpend.One(scope, 4_000_000, 0));
        awaitTeam(second, "tenant acme 1.9 of 2: 100", "tenant acme 1.9 of 4: 0", "tenant acme 4 of 4: 100");
    }

    private static void awaitTeam(String id, String... levels) {
        await().untilAsserted(() -> assertThat(
                        registry.pool.preparedQuery("""
                        SELECT format('%s %s %s of %s: %s', payload->>'of', payload->>'title', payload->>'spent', payload->>'limit', payload->>'percent') AS told
                        FROM log.events WHERE workspace_id = $1 AND event_type = 'LIMIT_LEVEL' ORDER BY id
                        """).execute(Tuple.of(UUID.fromString(id))).await().stream()
                                .map(row -> row.getString("told")))
                .containsExactly(levels));
    }

    private static void limit(String id, String limit) {
        registry.patch("/workspaces/" + id + "/budget", "{\"budget_limit\":%s}".formatted(limit), ADMIN);
    }

    private static void awaitTold(String id, String... levels) {
        await().untilAsserted(() -> assertThat(told(id)).containsExactly(levels));
    }

    private static List<String> told(String id) {
        return registry.pool.preparedQuery("""
                        SELECT format('%s of %s: %s', payload->>'monthly_spend', coalesce(payload->>'budget_limit', 'null'), payload->>'percent') AS told
                        FROM log.events WHERE workspace_id = $1 AND event_type = 'BUDGET_LEVEL' ORDER BY id
                        """).execute(Tuple.of(UUID.fromString(id))).await().stream()
                .map(row -> row.getString("told"))
                .toList();
    }
}
