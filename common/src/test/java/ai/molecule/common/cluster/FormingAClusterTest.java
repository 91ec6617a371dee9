package ai.molecule.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.config.Env;
import ai.molecule.common.testing.EmbeddedStores;
import io.vertx.core.Future;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Members that know each other's addresses and the cluster's name share one bus. */
class FormingAClusterTest {

    private record Ping(int number) {}

    private record Pong(int number) {}

    private static final Contract<Ping, Pong> PING = Contract.of("test.ping", Ping.class, Pong.class);

    @Test
    void a_call_crosses_from_one_member_to_another() {
        int one = EmbeddedStores.freePort();
        int two = EmbeddedStores.freePort();
        var joining = Future.all(
                        ClusteredVertx.start(member("acme", one, two)), ClusteredVertx.start(member("acme", two, one)))
                .await();
        io.vertx.core.Vertx first = joining.resultAt(0);
        io.vertx.core.Vertx second = joining.resultAt(1);
        try {
            new Bus(first)
                    .serve(PING, ping -> Future.succeededFuture(new Pong(ping.number() + 1)))
                    .await();

            assertThat(new Bus(second).call(PING, new Ping(41)).await()).isEqualTo(new Pong(42));
        } finally {
            Future.all(first.close(), second.close()).await();
        }
    }

    private static ClusterConfig member(String name, int port, int other) {
        return ClusterConfig.fromEnv(new Env(Map.of(
                "MOLECULE_CLUSTER",
                "tcp",
                "MOLECULE_CLUSTER_NAME",
                name,
                "MOLECULE_CLUSTER_PORT",
                String.valueOf(port),
                "MOLECULE_CLUSTER_MEMBERS",
                "127.0.0.1:%d,127.0.0.1:%d".formatted(port, other))));
    }
}
