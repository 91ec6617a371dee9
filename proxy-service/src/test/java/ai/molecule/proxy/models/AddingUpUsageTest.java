package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.workspaces.TenantName;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code GET /usage} for people: by agent, model, delegation and day. */
@ExtendWith(VertxExtension.class)
class AddingUpUsageTest {

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @SuppressWarnings("NullAway.Init")
    private Pool pool;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        pool = Postgres.pool(vertx, door.proxy.databaseUrl(), "proxy");
        pool.preparedQuery("""
                        INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, run_by, status, deadline)
                        VALUES ($1, $1, 'd-1', $1, $2, 't', 'platform', 'pending', now())
                        """)
                .execute(Tuple.of(UUID.randomUUID(), door.workspace))
                .await();
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}");
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}", "X-Molecule-Context", "d-1");
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}", "X-Molecule-Context", "another");
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:unpriced\"}");
        assertThat(door.rows(3)).hasSize(3);
    }

    @Test
    void by_agent() {
        var row = rows("/usage").getFirst();

        assertThat(row.getString("key")).isEqualTo(door.workspace.toString());
        assertThat(row.getLong("calls")).isEqualTo(3);
        assertThat(row.getLong("tokens_in")).isEqualTo(300);
        assertThat(row.getLong("cost_micros")).isEqualTo(800);
        assertThat(row.getLong("unpriced_calls")).isEqualTo(1);
    }

    @Test
    void by_model_an_unknown_cost_is_null() {
        assertThat(rows("/usage?by=model"))
                .extracting(row -> row.getString("key") + " " + row.getLong("cost_micros"))
                .containsExactly("fake:m 400", "openai:m 400", "fake:unpriced null");
    }

    @Test
    void by_delegation_that_the_context_names() {
        assertThat(rows("/usage?by=delegation"))
                .extracting(row -> row.getString("key") + " " + row.getLong("calls"))
                .containsExactlyInAnyOrder("d-1 1", "null 2");
    }

    @Test
    void by_message_where_one_agent_waits_for_anothers_answer() {
        var caller = UUID.randomUUID();
        task("delegate-1", caller, door.workspace);
        task("delegate-2", caller, UUID.randomUUID());
        task("m-1", null, door.workspace);
        for (String context : List.of("delegate-1", "delegate-1", "delegate-2", "m-1")) {
            door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}", "X-Molecule-Context", context);
        }
        assertThat(door.rows(7)).hasSize(7);

        assertThat(rows("/usage?by=delegation"))
                .extracting(row -> row.getString("key") + " " + row.getLong("calls"))
                .containsExactlyInAnyOrder("d-1 1", "delegate-1 2", "null 4");
    }

    private void task(String messageId, @Nullable UUID caller, UUID target) {
        pool.preparedQuery("""
                        INSERT INTO tasks (id, owner, workspace_id, caller_id, message_id, preview, status, started_at)
                        VALUES ($1, $1, $2, $3, $4, 't', 'running', now())
                        """)
                .execute(Tuple.of(UUID.randomUUID(), target, caller, messageId))
                .await();
    }

    @Test
    void by_day_and_only_of_the_days_asked_for() {
        assertThat(rows("/usage?by=day")).hasSize(1);
        assertThat(rows("/usage?by=day&from=2020-01-01&to=2020-12-31")).isEmpty();
    }

    @Test
    void by_whom_it_is_asked_for_as_passports_prove_it_and_under_a_revoked_one_nothing_is_asked() {
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}", "X-Molecule-Passport", "one.of.kims");
        assertThat(door.rows(4)).hasSize(4);

        assertThat(rows("/usage?by=principal"))
                .extracting(row -> row.getString("key") + " " + row.getLong("calls"))
                .containsExactlyInAnyOrder("person:kim 1", "null 3");

        door.proxy.platform.checked =
                new CheckPassport.Checked(CheckPassport.Standing.REVOKED, UUID.randomUUID(), "person:kim");
        var refused = door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}", "X-Molecule-Passport", "another.of.kims");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.bodyAsString()).contains("the passport that this is asked under was revoked");
    }

    @Test
    void by_tenant_of_whom_the_tree_was_when_it_called() {
        door.proxy.platform.teams = List.of(new BudgetOf.Team(TenantName.scopeOf("acme"), null, "month", "acme"));
        door.askAs(door.proxy.platform.tokenOf(UUID.randomUUID()), DoorUnderTest.CHAT, "{\"model\":\"m\"}");

        await().untilAsserted(() -> assertThat(rows("/usage?by=tenant"))
                .extracting(row -> row.getString("key") + " " + row.getLong("calls"))
                .containsExactlyInAnyOrder("acme 1", "null 3"));
        assertThat(door.get("/metrics").bodyAsString())
                .contains(
                        "molecule_model_tenant_calls_total{tenant=\"acme\"} 1.0",
                        "molecule_model_tenant_cost_dollars_total{tenant=\"acme\"} 4.0E-4");
    }

    @Test
    void of_those_agents_and_teams_alone_which_somebody_may_look_at() {
        var store = new PgUsageStore(pool);
        var team = UUID.randomUUID();
        pool.preparedQuery("UPDATE model_calls SET team_ids = $1 WHERE model = 'unpriced'")
                .execute(Tuple.tuple().addArrayOfUUID(new UUID[] {team, UUID.randomUUID()}))
                .await();

        assertThat(keys(store, "agent", Set.of(door.workspace))).containsExactly(door.workspace.toString());
        assertThat(keys(store, "agent", Set.of(UUID.randomUUID()))).isEmpty();
        assertThat(keys(store, "model", Set.of())).isEmpty();
        assertThat(keys(store, "day", Set.of(door.workspace))).hasSize(1);
        assertThat(keys(store, "team", Set.of(team))).containsExactly(team.toString());
        assertThat(keys(store, "team", null)).hasSize(2);
    }

    private static List<@Nullable String> keys(PgUsageStore store, String by, @Nullable Set<UUID> within) {
        var question = UsageQuestion.of(by, null, null, Clock.systemUTC());
        return store.sums(question, 10, within).await().stream()
                .<@Nullable String>map(PgUsageStore.Sum::key)
                .toList();
    }

    @Test
    void of_today_as_clients_read_it() {
        assertThat(door.get("/workspaces/" + door.workspace + "/metrics").bodyAsString())
                .matches(
                        "\\{\"input_tokens\":300,\"output_tokens\":60,\"total_calls\":3,\"estimated_cost_usd\":\"0.000800\","
                                + "\"period_start\":\"[-\\d]+T00:00:00.000000Z\",\"period_end\":\"[-\\d]+T00:00:00.000000Z\",\"unpriced_calls\":1}");
    }

    @Test
    void who_has_a_login_of_its_own_is_not_metered_and_never_at_no_cost() {
        var own = UUID.randomUUID();
        door.proxy.platform.unmetered.add(own);

        var rows = rows("/usage?by=agent");

        assertThat(rows.getLast().encode())
                .startsWith("{\"key\":\"" + own + "\",\"calls\":0,")
                .contains("\"cost_micros\":null", "\"metered\":false");
        assertThat(rows.getFirst().containsKey("metered")).isFalse();
        assertThat(rows("/usage?by=model")).hasSize(3);
        assertThat(door.proxy
                        .client
                        .get("/workspaces/" + own + "/metrics")
                        .putHeader("Authorization", "Bearer " + door.proxy.platform.tokenOf(own))
                        .send()
                        .await()
                        .bodyAsString())
                .contains("\"estimated_cost_usd\":null", "\"metered\":false");
    }

    @Test
    void as_figures_for_prometheus() {
        assertThat(door.get("/metrics").bodyAsString())
                .contains(
                        "molecule_model_calls_seconds_count{outcome=\"ok\",provider=\"fake\"} 2",
                        "molecule_model_tokens_total{kind=\"in\",provider=\"fake\"} 200.0",
                        "molecule_model_tokens_total{kind=\"out\",provider=\"openai\"} 20.0",
                        "molecule_model_cost_dollars_total{provider=\"openai\"} 4.0E-4",
                        "molecule_model_unpriced_calls_total{provider=\"fake\"} 1.0",
                        "molecule_model_calls_under_way 0.0");
    }

    @Test
    void nonsense_is_refused() {
        for (String query :
                List.of("by=nothing", "from=x", "to=2026-13-01", "from=2020-01-01", "from=2026-02-01&to=2026-01-01")) {
            assertThat(door.proxy
                            .client
                            .get("/usage?" + query)
                            .putHeader("Authorization", "Bearer " + door.token)
                            .send()
                            .await()
                            .statusCode())
                    .as(query)
                    .isEqualTo(400);
        }
    }

    private List<JsonObject> rows(String path) {
        var response = door.proxy
                .client
                .get(path)
                .putHeader("Authorization", "Bearer " + door.token)
                .send()
                .await();
        assertThat(response.statusCode()).isEqualTo(200);
        return response.bodyAsJsonObject().getJsonArray("rows").stream()
                .map(row -> (JsonObject) row)
                .toList();
    }
}
