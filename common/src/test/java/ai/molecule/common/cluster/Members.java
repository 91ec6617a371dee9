package ai.molecule.common.cluster;

import ai.molecule.common.config.Env;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBusOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Members on loopback that look for each other, closed together. */
public final class Members implements AutoCloseable {

    private final List<Integer> ports = List.of(TestStores.freePort(), TestStores.freePort(), TestStores.freePort());
    private final List<Vertx> started = new ArrayList<>();

    /** The next one; at most three. */
    public Vertx join(String name, @Nullable ClusterCertificate certificate) {
        return join(name, certificate, bus -> bus);
    }

    /** The next one, whose bus others reach by a cable alone. */
    public Vertx joinBehind(Cable cable, int busPort, String name) {
        return join(name, null, bus -> bus.setPort(busPort).setClusterPublicPort(cable.port()));
    }

    private Vertx join(String name, @Nullable ClusterCertificate certificate, UnaryOperator<EventBusOptions> changed) {
        Map<String, String> env = new HashMap<>(Map.of(
                "MOLECULE_CLUSTER",
                "tcp",
                "MOLECULE_CLUSTER_NAME",
                name,
                "MOLECULE_CLUSTER_PORT",
                String.valueOf(ports.get(started.size())),
                "MOLECULE_CLUSTER_MEMBERS",
                "127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d".formatted(ports.toArray())));
        if (certificate != null) {
            env.put("MOLECULE_CLUSTER_CERTIFICATE", certificate.chain());
            env.put("MOLECULE_CLUSTER_KEY", certificate.key());
            env.put("MOLECULE_CLUSTER_CA", certificate.authorities());
        }
        var vertx = ClusteredVertx.start(ClusterConfig.fromEnv(new Env(env)), Tracing.OFF, Map.of(), changed)
                .await();
        started.add(vertx);
        return vertx;
    }

    @Override
    public void close() {
        Future.join(started.stream().map(Vertx::close).toList()).await();
    }
}
