package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.EmbeddedStores;
import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests while PostgreSQL cannot be reached. */
class LosingTheDatabaseTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void reads_and_heartbeats_say_that_the_platform_is_unavailable_and_go_on_when_it_is_back() {
        var vertx = Vertx.vertx();
        var database = URI.create(EmbeddedStores.freshDatabase());
        var cable = new Cable(vertx, database);
        var url = database.toString().replace(":" + database.getPort() + "/", ":" + cable.port() + "/");
        try (var registry = RunningRegistry.start("DATABASE_URL", url)) {
            String me = registry.create("Me");
            String other = registry.create("Other");
            registry.register(other, "http://localhost:8001", "{}", null);
            assertThat(all(registry, me, other)).allMatch(answer -> answer.status() == 200);

            cable.cut();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(all(registry, me, other))
                            .allMatch(answer -> answer.status() == 503
                                    && answer.text("code").equals("platform_unavailable")));

            cable.join();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(all(registry, me, other)).allMatch(answer -> answer.status() == 200));
        } finally {
            vertx.close().await();
        }
    }

    private static List<Answer> all(RunningRegistry registry, String me, String other) {
        return List.of(
                registry.get("/workspaces/" + me, null),
                registry.get("/registry/discover/" + other, null, "X-Workspace-ID", me),
                registry.get("/registry/" + me + "/peers", null),
                registry.beat(me, "", null));
    }
}
