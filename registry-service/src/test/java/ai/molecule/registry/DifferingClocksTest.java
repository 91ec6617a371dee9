package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.testing.TestConfig;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two replicas on one database whose clocks do not agree: who lives is judged by neither. */
class DifferingClocksTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(5);

    @ParameterizedTest
    @ValueSource(longs = {10, -10, 60, -60})
    void an_agent_heard_by_one_replica_stays_online_whatever_the_others_clock_says(long seconds) {
        String database = TestConfig.platform().databaseUrl();
        var ahead = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(seconds));
        try (var judge = RunningRegistry.startAt(
                        Clock.systemUTC(), "DATABASE_URL", database, "MOLECULE_LIVENESS_TTL_SECONDS", "2");
                var hearing = RunningRegistry.startAt(
                        ahead, "DATABASE_URL", database, "MOLECULE_LIVENESS_TTL_SECONDS", "2")) {
            String id = judge.create("Agent");
            String token = judge.mint(id);
            hearing.register(id, "http://localhost:1", "{}", token);

            long until = System.nanoTime() + LONG_ENOUGH.toNanos();
            while (System.nanoTime() < until) {
                assertThat(hearing.beat(id, "", token).status()).isEqualTo(200);
            }

            assertThat(judge.eventTypes(id)).doesNotContain("WORKSPACE_OFFLINE");
            assertThat(judge.get("/workspaces/" + id, ADMIN).text("status")).isEqualTo("online");
        }
    }
}
