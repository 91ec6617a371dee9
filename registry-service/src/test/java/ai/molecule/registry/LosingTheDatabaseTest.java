package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestStores;
import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.Vertx;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests while PostgreSQL cannot be reached. */
class LosingTheDatabaseTest {

    private final Vertx vertx = Vertx.vertx();
    private final URI database = URI.create(TestStores.freshDatabase());
    private final Cable cable = new Cable(vertx, database);
    private final RunningRegistry registry = RunningRegistry.start(
            "DATABASE_URL", database.toString().replace(":" + database.getPort() + "/", ":" + cable.port() + "/"));
    private final String me = registry.create("Me");
    private final String other = registry.create("Other");
    private final String token = registry.mint(other);

    @BeforeEach
    void register() {
        registry.register(other, "http://localhost:8001", "{}", token);
        assertThat(all()).allMatch(answer -> answer.status() == 200);
    }

    @AfterEach
    void stop() {
        cable.join();
        registry.close();
        vertx.close().await();
    }

    @Test
    void reads_and_heartbeats_say_that_the_platform_is_unavailable_and_go_on_when_it_is_back() {
        cable.cut();
        await().untilAsserted(() -> assertThat(all()).allMatch(LosingTheDatabaseTest::unavailable));

        cable.join();
        await().untilAsserted(() -> assertThat(all()).allMatch(answer -> answer.status() == 200));
    }

    @Test
    void so_they_do_when_it_takes_what_is_sent_and_answers_nothing() {
        cable.silence();
        assertThat(all())
                .filteredOn(answer -> answer.status() != 200) // peers may be remembered from a moment ago
                .hasSizeGreaterThanOrEqualTo(3)
                .allMatch(LosingTheDatabaseTest::unavailable);

        cable.join();
        await().untilAsserted(() -> assertThat(all()).allMatch(answer -> answer.status() == 200));
    }

    @Test
    void one_that_takes_long_for_everything_makes_everything_take_long_and_no_more() {
        cable.slow(Duration.ofMillis(100));

        assertThat(all()).allMatch(answer -> answer.status() == 200);
    }

    @Test
    void one_that_takes_no_changes_for_a_while_is_unavailable_and_not_ready_until_it_takes_them_again()
            throws SQLException {
        readOnly(true);
        await().until(() -> unavailable(registry.beat(other, "", token)));
        await().until(() -> registry.get("/ready", null).status() == 503);

        readOnly(false);
        await().untilAsserted(() -> assertThat(all()).allMatch(answer -> answer.status() == 200));
        await().until(() -> registry.get("/ready", null).status() == 200);
    }

    /** As after a failover: connections end, and new ones find a server that takes no changes. */
    private void readOnly(boolean on) throws SQLException {
        String name = database.getPath().substring(1);
        try (var connection = Postgres.connect(database.resolve("/postgres").toString());
                var statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + name
                    + (on ? " SET default_transaction_read_only = on" : " RESET default_transaction_read_only"));
            if (on) {
                statement.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
            }
        }
    }

    private static boolean unavailable(Answer answer) {
        return answer.status() == 503 && answer.text("code").equals("platform_unavailable");
    }

    /** At the same time: where nobody answers each waits as long as the others. */
    private List<Answer> all() {
        List<Supplier<Answer>> requests = List.of(
                () -> registry.get("/workspaces/" + me, null),
                () -> registry.get("/registry/discover/" + other, null, "X-Workspace-ID", me),
                () -> registry.get("/registry/" + me + "/peers", null),
                () -> registry.beat(other, "", token));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = requests.stream()
                    .map(request -> CompletableFuture.supplyAsync(request, threads))
                    .toList();
            return asked.stream().map(CompletableFuture::join).toList();
        }
    }
}
