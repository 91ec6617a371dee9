package ai.molecule.proxy.activity;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
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

        await().atMost(Duration.ofSeconds(60)).until(() -> proxy.platform.rows.size() == 1);
        await().until(() -> held(pool) == 0);
    }

    @Test
    void a_row_of_a_dead_proxy_is_sent_on_once_and_as_it_was(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        var lost = lost(proxy);

        new PgHeldRowStore(pool).hold(UUID.randomUUID(), List.of(lost)).await();

        await().atMost(Duration.ofSeconds(60)).until(() -> !proxy.platform.rows.isEmpty());
        assertThat(proxy.platform.rows).containsExactly(lost);
        await().until(() -> held(pool) == 0);
    }

    @Test
    void a_row_that_was_adopted_unheard_is_sent_on_all_the_same(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        var lost = lost(proxy);
        var self = pool.query("SELECT id FROM proxies")
                .execute()
                .await()
                .iterator()
                .next()
                .getUUID(0);

        new PgHeldRowStore(pool).hold(self, List.of(lost)).await();

        await().atMost(Duration.ofSeconds(60)).until(() -> !proxy.platform.rows.isEmpty());
        assertThat(proxy.platform.rows).containsExactly(lost);
        await().until(() -> held(pool) == 0);
    }

    @Test
    void what_a_kill_would_lose_while_the_database_is_away_is_counted(Vertx vertx) {
        Promise<Void> database = Promise.promise();
        var meters = new SimpleMeterRegistry();
        var platform = new StandInPlatform(vertx);
        platform.activity = batch -> Future.failedFuture(ApiError.platformUnavailable());
        var buffer = new ActivityBuffer(vertx, platform.bus, ActivityLimits.DEFAULT, meters);
        List<Row> saved = new CopyOnWriteArrayList<>();
        var store = new HeldRowStore() {
            @Override
            public Future<Void> hold(UUID owner, List<Row> rows) {
                return database.future().onSuccess(back -> saved.addAll(rows));
            }

            @Override
            public Future<Void> release(List<UUID> ids) {
                return Future.succeededFuture();
            }

            @Override
            public Future<List<Row>> adopt(UUID owner, Set<UUID> known, Duration lease, int max) {
                return Future.succeededFuture(List.of());
            }
        };
        var holding = new HeldRows(
                vertx,
                store,
                UUID.randomUUID(),
                Duration.ofSeconds(5),
                Clock.systemUTC(),
                buffer,
                Tally.nowhere(),
                new Reconcilers(Clock.systemUTC()).add("held-rows", "holds"),
                meters);
        holding.start();

        vertx.runOnContext(now -> buffer.add(row(Instant.now())));

        await().until(() -> exposed(meters) == 1);
        database.complete();
        await().until(() -> exposed(meters) == 0);
        assertThat(saved).hasSize(1);
        holding.stop();
    }

    private static double exposed(MeterRegistry meters) {
        return meters.get("molecule.activity.exposed").gauge().value();
    }

    private static Row row(Instant at) {
        var id = UUID.randomUUID();
        return new Row(
                id, id, "a2a_receive", null, null, null, null, null, null, null, null, "ok", null, null, at, true);
    }

    /** A row that is written nowhere yet, like one of a call. */
    private static Row lost(ProxyUnderTest proxy) {
        var agent = proxy.agentSaying("{\"n\":1.10}");
        proxy.send(agent, HELLO);
        await().until(() -> proxy.platform.rows.size() == 1);
        Row told = proxy.platform.rows.getFirst();
        proxy.platform.rows.clear();
        return new Row(
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
