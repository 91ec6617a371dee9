package ai.molecule.proxy.activity;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Activity that events-service does not take at once outlives its proxy. */
@ExtendWith(VertxExtension.class)
class HoldingRowsTest {

    @Test
    void a_row_that_waits_is_held_until_it_is_taken(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        var agent = proxy.agentSaying("{}");
        proxy.platform.activity = batch -> Future.failedFuture(ApiError.platformUnavailable());

        proxy.send(agent, HELLO);
        await().until(() -> held(pool) == 1);
        proxy.platform.activity = proxy.platform::store;

        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.platform.rows.size() == 1);
        await().until(() -> held(pool) == 0);
    }

    @Test
    void a_row_of_a_dead_proxy_is_sent_on_once_and_as_it_was(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        var agent = proxy.agentSaying("{\"n\":1.10}");
        proxy.send(agent, HELLO);
        await().until(() -> proxy.platform.rows.size() == 1);
        Row told = proxy.platform.rows.getFirst();
        proxy.platform.rows.clear();
        var lost = new Row(
                UUID.randomUUID(),
                told.workspaceId(),
                told.activityType(),
                told.sourceId(),
                told.targetId(),
                told.method(),
                told.summary(),
                told.requestBody(),
                told.responseBody(),
                told.toolTrace(),
                told.durationMs(),
                told.status(),
                told.errorDetail(),
                told.idempotencyKey(),
                told.createdAt(),
                told.announce());

        new PgHeldRowStore(pool).hold(UUID.randomUUID(), List.of(lost)).await();

        await().atMost(Duration.ofSeconds(20)).until(() -> !proxy.platform.rows.isEmpty());
        assertThat(proxy.platform.rows).containsExactly(lost);
        await().until(() -> held(pool) == 0);
    }

    private static long held(Pool pool) {
        return pool.query("SELECT count(*) FROM held_rows")
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }
}
