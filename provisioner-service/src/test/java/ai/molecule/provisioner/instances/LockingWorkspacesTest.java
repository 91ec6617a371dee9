package ai.molecule.provisioner.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two provisioners on one database. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class LockingWorkspacesTest {

    private final String database = TestStores.freshDatabase();

    @Test
    void one_provisioner_at_a_time_works_on_a_workspace(Vertx vertx) {
        var one = store(vertx);
        var other = store(vertx);
        var workspace = UUID.randomUUID();

        var held = one.tryLock(workspace).await().orElseThrow();
        assertThat(other.tryLock(workspace).await()).isEmpty();
        assertThat(other.tryLock(UUID.randomUUID()).await()).isPresent();
        held.release().await();

        assertThat(other.tryLock(workspace).await()).isPresent();
    }

    @Test
    void many_locks_take_one_connection_and_one_is_nobody_elses_here_either(Vertx vertx) {
        var store = store(vertx);
        var one = UUID.randomUUID();
        var held = Stream.concat(
                        Stream.of(one), Stream.generate(UUID::randomUUID).limit(40))
                .map(id -> store.tryLock(id).await().orElseThrow())
                .toList();

        assertThat(store.tryLock(one).await()).isEmpty();
        assertThat(store.find(one).await()).isEmpty(); // there is a connection left to ask by
        held.forEach(lock -> lock.release().await());
        assertThat(store.tryLock(one).await()).isPresent();
    }

    @Test
    void a_connection_that_ended_before_anybody_listened_for_that_is_not_asked_for_ever(Vertx vertx) {
        var pool = Postgres.pool(vertx, database, "provisioner");
        SqlConnection ended = PgConnection.connect(vertx, database).await();
        ended.close().await();
        var connections = new ArrayDeque<>(List.of(Future.succeededFuture(ended)));
        var locks = new PgLockSession(() -> connections.isEmpty() ? pool.getConnection() : connections.remove());
        var workspace = UUID.randomUUID();

        assertThatThrownBy(() -> locks.tryLock(workspace).await());

        assertThat(locks.tryLock(workspace).await()).isPresent();
    }

    @Test
    void a_start_remembers_since_when_it_is_tried_and_why_in_vain(Vertx vertx) {
        var store = store(vertx);
        var id = UUID.randomUUID();
        var first = Instant.parse("2026-11-01T12:00:00Z");
        store.starting(id, 1, 20_001, first).await();
        store.delayed(id, "no room").await();

        store.starting(id, 1, 20_001, first.plusSeconds(60)).await();
        assertThat(store.find(id).await().orElseThrow().firstTriedAt()).isEqualTo(first);
        assertThat(store.find(id).await().orElseThrow().lastReason()).isEqualTo("no room");

        store.starting(id, 2, 20_001, first.plusSeconds(90)).await();
        assertThat(store.find(id).await().orElseThrow().firstTriedAt()).isEqualTo(first.plusSeconds(90));
        assertThat(store.find(id).await().orElseThrow().lastReason()).isNull();
    }

    @Test
    void two_workspaces_never_share_a_port(Vertx vertx) {
        var store = store(vertx);
        var first = UUID.randomUUID();

        assertThat(store.starting(first, 1, 20_001, Instant.now()).await()).isTrue();
        assertThat(store.starting(UUID.randomUUID(), 1, 20_001, Instant.now()).await())
                .isFalse();

        assertThat(store.starting(first, 2, 20_001, Instant.now()).await()).isTrue();
        assertThat(store.portsOfOthers(UUID.randomUUID()).await()).containsExactly(20_001);
        assertThat(store.portsOfOthers(first).await()).isEmpty();
    }

    @Test
    void a_start_after_giving_up_forgets_the_deaths_and_one_after_a_back_off_does_not(Vertx vertx) {
        var store = store(vertx);
        var id = UUID.randomUUID();
        store.starting(id, 1, 20_001, Instant.now()).await();
        store.exited(id, 2, List.of(Instant.now()), Instant.now(), "exit code 1", Instant.now())
                .await();

        store.starting(id, 2, 20_001, Instant.now()).await();
        assertThat(store.find(id).await().orElseThrow().deaths()).hasSize(1);
        store.failed(id, 2, "exit code 1", Instant.now()).await();
        store.starting(id, 3, 20_001, Instant.now()).await();

        var instance = store.find(id).await().orElseThrow();
        assertThat(instance.deaths()).isEmpty();
        assertThat(instance.attempts()).isZero();
    }

    private PgInstanceStore store(Vertx vertx) {
        Postgres.migrate(vertx, database, "provisioner").await();
        return new PgInstanceStore(Postgres.pool(vertx, database, "provisioner"));
    }
}
