package ai.molecule.provisioner.instances;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.EmbeddedStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two provisioners on one database. */
@ExtendWith(VertxExtension.class)
class LockingWorkspacesTest {

    private final String database = EmbeddedStores.freshDatabase();

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
