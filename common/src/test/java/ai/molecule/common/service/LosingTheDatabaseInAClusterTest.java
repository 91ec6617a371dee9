package ai.molecule.common.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.cluster.Members;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two replicas of a service in a cluster, of which one loses its way to the database. */
@SuppressWarnings("NullAway.Init")
class LosingTheDatabaseInAClusterTest {

    private record Ask(int number) {}

    private record Told(String by) {}

    private static final Contract<Ask, Told> CONTRACT =
            new Contract<>("test.ask", Ask.class, Told.class, Duration.ofSeconds(20));

    private final URI database = URI.create(TestStores.freshDatabase());
    private final Vertx outside = Vertx.vertx();
    private final Cable cable = new Cable(outside, database);
    private Members members;
    private ServiceContext lonely;
    private Bus caller;

    @BeforeEach
    void start() {
        members = new Members();
        lonely = serve("lonely", database.toString().replace(":" + database.getPort() + "/", ":" + cable.port() + "/"));
        caller = new Bus(members.join("acme", null));
    }

    @AfterEach
    void stop() {
        cable.join();
        members.close();
        outside.close().await();
    }

    @Test
    void calls_go_to_the_other_replica_until_the_database_is_back_here() {
        serve("other", database.toString());
        await().until(() -> answerers(10).equals(Set.of("lonely", "other")));

        cable.cut();
        await().until(() -> answerers(20).equals(Set.of("other")));

        cable.join();
        await().until(() -> answerers(20).equals(Set.of("lonely", "other")));
    }

    @Test
    void the_only_replica_goes_on_answering() {
        cable.cut();
        await().until(() -> lonely.reconcilers().status().reconcilers().stream()
                .anyMatch(one -> one.name().equals("database-watch") && !one.ok()));

        assertThat(lonely.bus().leaveToOthers(CONTRACT).await()).isNotNull();
        assertThat(answerers(5)).containsExactly("lonely");
    }

    @Test
    void a_replica_is_ready_when_the_bus_has_answered_once_and_stays_so() {
        assertThat(lonely.ready().map(true).await()).isTrue();

        var answer = new AtomicReference<Future<?>>(Future.failedFuture("nobody"));
        lonely.firstAnswer().of(answer::get);
        var fresh = new FirstAnswer(answer::get);
        assertThatThrownBy(() -> fresh.had().await()).hasMessage("nobody");
        answer.set(Future.succeededFuture("somebody"));
        fresh.had().await();
        answer.set(Future.failedFuture("nobody"));

        fresh.had().await();
        assertThat(lonely.ready().map(true).await()).isTrue();
    }

    private Set<String> answerers(int calls) {
        Set<String> by = new HashSet<>();
        for (int i = 0; i < calls; i++) {
            by.add(caller.call(CONTRACT, new Ask(i)).await().by());
        }
        return by;
    }

    private ServiceContext serve(String name, String url) {
        var service = ServiceContext.open(
                        members.join("acme", null), TestConfig.platform("DATABASE_URL", url), "guarded")
                .await();
        service.bus()
                .serve(CONTRACT, ask -> Future.succeededFuture(new Told(name)))
                .await();
        return service;
    }
}
