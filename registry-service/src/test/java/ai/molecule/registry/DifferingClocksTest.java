package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.testing.TestConfig;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replicas on one database whose clocks do not agree: who lives is judged by none of them. */
class DifferingClocksTest {

    /** Beyond the TTL, which a slow machine beats in time for all of them. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(8);

    private final List<RunningRegistry> replicas = new ArrayList<>();

    /** @param token of an agent that this replica alone hears */
    private record Heard(RunningRegistry by, String id, String token) {}

    @AfterEach
    void stop() {
        replicas.forEach(RunningRegistry::close);
    }

    @Test
    void an_agent_heard_by_one_replica_stays_online_whatever_the_others_clocks_say() {
        String database = TestConfig.platform().databaseUrl();
        var judge = replica(database, 0);
        List<Heard> agents = new ArrayList<>();
        // all of them first: who has joined is to be heard from then on, however long a start takes
        for (var hearing : Stream.of(10, -10, 60, -60)
                .map(seconds -> replica(database, seconds))
                .toList()) {
            String id = judge.create("Agent " + agents.size());
            String token = judge.mint(id);
            hearing.register(id, "http://localhost:1", "{}", token);
            agents.add(new Heard(hearing, id, token));
        }

        long until = System.nanoTime() + LONG_ENOUGH.toNanos();
        while (System.nanoTime() < until) {
            for (var agent : agents) {
                assertThat(agent.by.beat(agent.id, "", agent.token).status()).isEqualTo(200);
            }
        }

        for (var agent : agents) {
            assertThat(judge.eventTypes(agent.id)).doesNotContain("WORKSPACE_OFFLINE");
            assertThat(judge.get("/workspaces/" + agent.id, ADMIN).text("status"))
                    .isEqualTo("online");
        }
    }

    /** With a clock that is so much ahead. */
    private RunningRegistry replica(String database, long seconds) {
        var clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(seconds));
        var replica = RunningRegistry.startAt(clock, "DATABASE_URL", database, "MOLECULE_LIVENESS_TTL_SECONDS", "6");
        replicas.add(replica);
        return replica;
    }
}
