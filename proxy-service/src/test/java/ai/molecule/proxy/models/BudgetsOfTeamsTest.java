package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.proxy.TeamSpend;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.models.PgLedgerStore.Ask;
import ai.molecule.proxy.models.PgLedgerStore.LastWord;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A limit of an inner node of the org chart bounds all below it together. */
@ExtendWith(VertxExtension.class)
class BudgetsOfTeamsTest {

    private static final long CENT = 10_000;
    private static final String PIECE =
            "data: {\"choices\":[{\"delta\":{\"content\":\"" + "abc".repeat(20) + "\"}}]}\n\n";

    private final UUID team = UUID.randomUUID();
    private final UUID organisation = UUID.randomUUID();

    private static final LastWord NOTHING = new LastWord(0L, 0, null);

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        door.proxy.platform.teams =
                List.of(new BudgetOf.Team(team, 50L, "all"), new BudgetOf.Team(organisation, null, "month"));
    }

    @Test
    void twenty_agents_at_two_proxies_of_which_one_goes_end_within_a_tenth_of_their_teams_budget(Vertx vertx) {
        var other = door.proxy.replica();
        var tokens = IntStream.range(0, 20)
                .mapToObj(agent -> door.proxy.platform.tokenOf(UUID.randomUUID()))
                .toList();
        door.provider.answer = response -> endless(vertx, response);

        boolean both = true;
        for (boolean more = true; more; both = false) { // until nobody gets anything any more
            List<Future<HttpResponse<Buffer>>> round = new ArrayList<>();
            for (int agent = 0; agent < tokens.size(); agent++) {
                var proxy = both && agent % 2 == 0 ? other : door.proxy;
                round.add(ask(proxy, tokens.get(agent)));
            }
            if (both) {
                Future.any(round).await();
                other.stopping().await();
            }
            Future.join(round).otherwiseEmpty().await();
            settled();
            more = both
                    || round.stream()
                            .anyMatch(answer ->
                                    answer.succeeded() && answer.result().statusCode() == 200);
        }

        assertThat(spent(team)).isBetween(45 * CENT, 55 * CENT);
        assertThat(spent(organisation)).isEqualTo(spent(team));
    }

    @Test
    void who_has_none_of_its_own_is_told_whose_budget_it_was() {
        door.proxy.platform.teams = List.of(new BudgetOf.Team(team, 0L, "day"));

        var answer = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(answer.statusCode()).isEqualTo(402);
        assertThat(answer.bodyAsString()).contains("a team above this workspace", "budget_exceeded");
        assertThat(door.provider.asked).isEmpty();
        var asked = new TeamSpend(List.of(
                new TeamSpend.Team(team, "day", LocalDate.now(ZoneOffset.UTC)),
                new TeamSpend.Team(team, "all", LocalDate.EPOCH)));
        var told =
                door.proxy.platform.bus.call(TeamSpend.CONTRACT, asked).await().teams();
        assertThat(told).singleElement().satisfies(spent -> {
            assertThat(spent.spent()).isZero();
            assertThat(spent.refused()).isPositive(); // so the registry knows that the rest pays for nothing
        });
    }

    @Test
    void usage_adds_up_by_team_all_the_way_up() {
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":10}}");
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}");
        door.row();

        var rows = door.proxy
                .client
                .get("/usage?by=team")
                .putHeader("Authorization", "Bearer " + door.token)
                .send()
                .await()
                .bodyAsJsonObject()
                .getJsonArray("rows");

        assertThat(rows.stream().map(String::valueOf))
                .hasSize(2)
                .anyMatch(row -> row.contains(team.toString()) && row.contains("\"cost_micros\":110"))
                .anyMatch(row -> row.contains(organisation.toString()) && row.contains("\"cost_micros\":110"));
    }

    @Test
    void what_a_killed_proxy_was_promised_comes_back_to_the_team_too(Vertx vertx) {
        var store = new PgLedgerStore(Postgres.pool(vertx, door.proxy.databaseUrl(), "proxy"));
        var account = List.of(new ModelAccount(team, "all", LocalDate.EPOCH, 100L));
        var month = LocalDate.of(2026, 11, 1);

        long first = store.reserve(
                        new Ask(UUID.randomUUID(), door.workspace, month, 10, 80, 0, null, account, NOTHING),
                        Duration.ofMillis(-1))
                .await();
        long second = store.reserve(
                        new Ask(UUID.randomUUID(), UUID.randomUUID(), month, 10, 80, 0, null, account, NOTHING),
                        Duration.ofMinutes(1))
                .await();
        store.endExpired(Set.of(), Instant.now().plusSeconds(60), 1_000).await();

        assertThat(List.of(first, second)).containsExactly(80L, 20L);
        assertThat(sum("reserved", team)).isEqualTo(20);
    }

    private Future<HttpResponse<Buffer>> ask(ProxyUnderTest proxy, String token) {
        return proxy.client
                .post(DoorUnderTest.CHAT)
                .putHeader("Authorization", "Bearer " + token)
                .sendBuffer(Buffer.buffer(DoorUnderTest.STREAMED));
    }

    private long spent(UUID of) {
        return sum("spent", of);
    }

    private long sum(String column, UUID of) {
        return door.query("SELECT coalesce(sum(" + column
                        + "), 0)::bigint FROM proxy.model_team_budgets WHERE team_id = '" + of
                        + "' AND $1::uuid IS NOT NULL")
                .getFirst()
                .getLong(0);
    }

    private void settled() {
        await().until(() -> door.query("SELECT 1 FROM proxy.model_reservations WHERE $1::uuid IS NOT NULL")
                .isEmpty());
    }

    private static void endless(Vertx vertx, io.vertx.core.http.HttpServerResponse response) {
        FakeProvider.events(response);
        long timer = vertx.setPeriodic(1, more -> {
            for (int i = 0; i < 10 && !response.writeQueueFull() && !response.closed(); i++) {
                response.write(PIECE);
            }
        });
        response.closeHandler(closed -> vertx.cancelTimer(timer));
    }
}
