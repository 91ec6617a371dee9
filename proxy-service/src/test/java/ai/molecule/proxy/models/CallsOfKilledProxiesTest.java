package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.models.ModelCallRow.Outcome;
import ai.molecule.proxy.models.PgLedgerStore.Ask;
import ai.molecule.proxy.models.PgLedgerStore.LastWord;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A call whose proxy was killed: what it had spent by the last word stays spent, what it had not comes back. */
@ExtendWith(VertxExtension.class)
class CallsOfKilledProxiesTest {

    private static final Duration OVER = Duration.ofMillis(-1);
    private static final Instant STARTED = Instant.parse("2026-11-23T10:00:00Z");
    private static final LocalDate MONTH = LocalDate.of(2026, 11, 1);
    private static final ModelAccount TEAM = new ModelAccount(UUID.randomUUID(), "all", LocalDate.EPOCH, 500L);
    private static final ModelAccount COUNTED = new ModelAccount(UUID.randomUUID(), "month", MONTH, null);

    private final UUID call = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @SuppressWarnings("NullAway.Init")
    private PgLedgerStore store;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        store = new PgLedgerStore(Postgres.pool(vertx, door.proxy.databaseUrl(), "proxy"));
    }

    @Test
    void a_stream_costs_what_its_proxy_last_said() {
        promised(0L);
        store.renew(Map.of(call, word(70L, 6)), OVER).await();

        endExpired();

        assertThat(List.of(door.spent(), door.reserved())).containsExactly(70L, 0L);
        assertThat(team(TEAM)).isEqualTo("70/0");
        assertThat(team(COUNTED)).isEqualTo("70/0");
        var row = door.row();
        assertThat(row.getString("outcome")).isEqualTo("lost");
        assertThat(row.getLong("cost_micros")).isEqualTo(70);
        assertThat(row.getLong("tokens_in")).isEqualTo(5);
        assertThat(row.getLong("tokens_out")).isEqualTo(6);
        assertThat(row.getBoolean("estimated")).isTrue();
        assertThat(row.getArrayOfUUIDs("team_ids")).contains(TEAM.id(), COUNTED.id());
    }

    @Test
    void an_answer_that_comes_whole_may_have_cost_all_that_it_was_promised() {
        promised(null);

        endExpired();

        assertThat(List.of(door.spent(), door.reserved())).containsExactly(200L, 0L);
    }

    @Test
    void one_whose_proxy_was_only_slow_costs_what_it_did_cost() {
        promised(0L);
        store.renew(Map.of(call, word(70L, 6)), OVER).await();
        endExpired();

        store.settle(List.of(row(90))).await();
        store.settle(List.of(row(90))).await();

        assertThat(List.of(door.spent(), door.reserved())).containsExactly(90L, 0L);
        assertThat(team(TEAM)).isEqualTo("90/0");
        assertThat(door.rows(1)).hasSize(1);
        assertThat(door.row().getString("outcome")).isEqualTo("ok");
    }

    @Test
    void a_promise_that_comes_about_after_its_call_is_over_costs_nothing_more() {
        store.settle(List.of(row(0))).await();
        promised(null);

        endExpired();

        assertThat(List.of(door.spent(), door.reserved())).containsExactly(0L, 0L);
        assertThat(team(TEAM)).isEqualTo("0/0");
        assertThat(door.row().getString("outcome")).isEqualTo("ok");
    }

    @Test
    void a_promise_that_is_renewed_here_or_while_nobody_may_be_called_dead_goes_on() {
        promised(0L);

        assertThat(store.endExpired(Set.of(call), Instant.now().plusSeconds(60), 1_000)
                        .await())
                .isZero();
        assertThat(store.endExpired(Set.of(), Instant.now().minusSeconds(60), 1_000)
                        .await())
                .isZero();

        assertThat(List.of(door.spent(), door.reserved())).containsExactly(0L, 200L);
    }

    private void endExpired() {
        store.endExpired(Set.of(), Instant.now().plusSeconds(60), 1_000).await();
    }

    private void promised(@Nullable Long used) {
        store.reserve(
                        new Ask(call, door.workspace, MONTH, 10, 200, 0, 1_000L, List.of(TEAM, COUNTED), word(used, 0)),
                        OVER)
                .await();
    }

    private static LastWord word(@Nullable Long used, long written) {
        return new LastWord(
                used,
                written,
                "{\"provider\":\"fake\",\"model\":\"m\",\"operation\":\"chat\",\"tokens_in\":5,\"started_at\":\"%s\",\"teams\":%s}"
                        .formatted(STARTED, ModelAccount.toJson(List.of(TEAM, COUNTED))));
    }

    private ModelCallRow row(long cost) {
        return new ModelCallRow(
                call,
                door.workspace,
                null,
                null,
                "fake",
                "m",
                ModelOperation.CHAT,
                ModelUsage.of(5, 8),
                cost,
                false,
                Outcome.OK,
                200,
                STARTED,
                Duration.ofSeconds(1),
                List.of(TEAM, COUNTED),
                1,
                null,
                null);
    }

    private String team(ModelAccount account) {
        return door.query("SELECT spent || '/' || reserved FROM proxy.model_team_budgets WHERE team_id = '"
                        + account.id() + "' AND $1::uuid IS NOT NULL")
                .getFirst()
                .getString(0);
    }
}
