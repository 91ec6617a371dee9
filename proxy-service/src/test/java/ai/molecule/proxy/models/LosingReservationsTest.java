package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Money is reserved and the connection ends before the proxy hears of it: nothing left, so nothing was spent. */
@ExtendWith(VertxExtension.class)
class LosingReservationsTest {

    @Test
    void a_reservation_whose_answer_is_lost_costs_nothing(Vertx vertx, @TempDir Path folder) {
        var database = URI.create(TestStores.freshDatabase());
        var cable = new Cable(vertx, database);
        var door = new DoorUnderTest(
                vertx,
                folder,
                limits -> limits,
                "DATABASE_URL",
                database.toString().replace(":" + database.getPort() + "/", ":" + cable.port() + "/"));
        door.proxy.platform.budgets.put(door.workspace, 100L);
        var direct = Postgres.pool(vertx, database.toString(), "proxy");
        direct.preparedQuery(
                        "INSERT INTO model_budgets (workspace_id, period) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'))")
                .execute(Tuple.of(door.workspace))
                .await();
        var other = direct.getConnection().await();
        var transaction = other.begin().await();
        other.preparedQuery("SELECT 1 FROM model_budgets WHERE workspace_id = $1 FOR UPDATE")
                .execute(Tuple.of(door.workspace))
                .await();

        var answer = door.asking(door.token, DoorUnderTest.CHAT, "{\"model\":\"m\",\"max_tokens\":8000}");
        until(() -> count(
                        direct,
                        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%promise_for_call%' AND $1::uuid IS NOT NULL",
                        door)
                > 0);
        cable.cut();
        assertThat(answer.await().statusCode()).isEqualTo(503);
        transaction.commit().await();
        until(() -> count(direct, "SELECT 1 FROM model_reservations WHERE workspace_id = $1", door) > 0);
        cable.join();

        until(() -> count(direct, "SELECT 1 FROM model_reservations WHERE workspace_id = $1", door) == 0);
        assertThat(List.of(door.spent(), door.reserved())).containsExactly(0L, 0L);
        assertThat(door.row().getString("outcome")).isEqualTo("unreachable");
        assertThat(door.provider.asked).isEmpty();
    }

    private static void until(Callable<Boolean> so) {
        await().until(so);
    }

    private static int count(Pool pool, String sql, DoorUnderTest door) {
        return pool.preparedQuery(sql).execute(Tuple.of(door.workspace)).await().size();
    }
}
