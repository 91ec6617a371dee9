package ai.molecule.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A member that vanishes without a word, or that the cluster forgot, is noticed by looking. */
class LosingANeighbourTest {

    private record Change(int number) {}

    private record Changed(String by) {}

    /** A call that met a lost member would wait for all of it. */
    private static final Contract<Change, Changed> CHANGE =
            new Contract<>("test.change", Change.class, Changed.class, Duration.ofSeconds(20));

    @Test
    void calls_go_to_the_others_while_a_member_is_silent_and_to_it_again_when_it_answers() {
        var vertx = Vertx.vertx();
        int busPort = TestStores.freePort();
        var cable = new Cable(vertx, URI.create("tcp://127.0.0.1:" + busPort));
        try (var members = new Members()) {
            var caller = members.join("acme", null);
            serve(members.join("acme", null), "near");
            serve(members.joinBehind(cable, busPort, "acme"), "far");
            assertThat(look(caller)).isEqualTo(new Neighbours.Seen(2, List.of(), 0));
            assertThat(answers(caller)).containsExactlyInAnyOrder("near", "far");

            cable.silence();
            for (int look = 0; look < Avoided.MISSES; look++) {
                look(caller);
            }

            assertThat(look(caller)).isEqualTo(new Neighbours.Seen(2, List.of("127.0.0.1:" + cable.port()), 0));
            assertThat(answers(caller)).containsExactly("near");
            cable.join();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> look(caller).silent().isEmpty());
            assertThat(answers(caller)).containsExactlyInAnyOrder("near", "far");
        } finally {
            vertx.close().await();
        }
    }

    @Test
    void a_member_that_is_cut_off_from_all_others_knows_it() {
        var all = new Neighbours.Seen(2, List.of("10.0.0.1:5702", "10.0.0.2:5702"), 0);

        assertThat(all.isCutOff()).isTrue();
        assertThat(new Neighbours.Seen(3, all.silent(), 0).isCutOff()).isFalse();
        assertThat(new Neighbours.Seen(1, List.of("10.0.0.1:5702"), 0).isCutOff())
                .as("of two, nobody knows which")
                .isFalse();
    }

    @Test
    void what_the_cluster_lost_of_a_member_is_put_back_by_its_own_look() {
        try (var members = new Members()) {
            var caller = members.join("acme", null);
            var server = members.join("acme", null);
            serve(server, "here");
            assertThat(answers(caller)).containsExactly("here");

            forget(caller, ((VertxInternal) server).clusterManager().getNodeId());

            assertThat(look(server).restored()).isPositive();
            assertThat(look(caller).silent()).isEmpty();
            await().ignoreExceptions().until(() -> answers(caller).equals(Set.of("here")));
            assertThat(look(server).restored()).isZero();
        }
    }

    /** What a handler does that hung while the cluster was split, and goes on after the merge. */
    private static void forget(Vertx by, String node) {
        var hazelcast = ((HazelcastClusterManager) ((VertxInternal) by).clusterManager()).getHazelcastInstance();
        hazelcast.getMap("__vertx.nodeInfo").remove(node);
        var registrations = hazelcast.getMap("__vertx.subs");
        Set.copyOf(registrations.keySet()).forEach(registrations::remove);
    }

    private static void serve(Vertx member, String name) {
        new Bus(member)
                .serve(CHANGE, change -> Future.succeededFuture(new Changed(name)))
                .await();
    }

    private static Neighbours.Seen look(Vertx member) {
        return Neighbours.look(member).await();
    }

    /** Of as many calls as would meet each member more than once. */
    private static Set<String> answers(Vertx caller) {
        var bus = new Bus(caller);
        return IntStream.range(0, 6)
                .mapToObj(number -> bus.call(CHANGE, new Change(number)).await().by())
                .collect(Collectors.toSet());
    }
}
