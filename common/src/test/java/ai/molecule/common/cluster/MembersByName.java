package ai.molecule.common.cluster;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.config.Env;
import ai.molecule.common.testing.TestStores;
import com.hazelcast.core.Hazelcast;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Three members at three addresses of this machine, as pods: the same ports, a certificate, one name for all. */
final class MembersByName {

    static final String AT_ONCE = "the second was with the first when it had started";
    static final String LATER = "the third has called the first";

    private static final String NAME = "cluster.molecule.svc";
    private static final String FIRST = "127.0.0.2";
    private static final String SECOND = "127.0.0.3";
    private static final String THIRD = "127.0.0.4";

    /** Hazelcast looks for the address among those of the network interfaces, where loopback's is only the first of its many. */
    private static final String HAZELCAST_ADDRESS = "hazelcast.local.localAddress";

    private record Ping(int number) {}

    private record Pong(int number) {}

    private static final Contract<Ping, Pong> PING =
            new Contract<>("test.ping", Ping.class, Pong.class, Duration.ofSeconds(2));

    private final Path hosts;
    private final ClusterCertificate certificate;
    private final String port = String.valueOf(TestStores.freePort());
    private final String busPort = String.valueOf(TestStores.freePort());

    private MembersByName(Path hosts, ClusterCertificate certificate) {
        this.hosts = hosts;
        this.certificate = certificate;
    }

    /** @param arguments the folder to work in, and the file in it that this JVM takes names from */
    public static void main(String[] arguments) throws IOException {
        Security.setProperty("networkaddress.cache.ttl", "0");
        new MembersByName(Path.of(arguments[1]), NewCertificate.make(Path.of(arguments[0]))).run();
        System.exit(0);
    }

    private void run() throws IOException {
        leadsTo(FIRST);
        var first = start(FIRST);
        leadsTo(FIRST, SECOND);
        start(SECOND);
        if (Hazelcast.getAllHazelcastInstances().stream()
                .allMatch(member -> member.getCluster().getMembers().size() == 2)) {
            System.out.println(AT_ONCE);
        }
        leadsTo(THIRD);
        var third = start(THIRD);
        leadsTo(FIRST, SECOND, THIRD);
        new Bus(first)
                .serve(PING, ping -> Future.succeededFuture(new Pong(ping.number() + 1)))
                .await();
        var bus = new Bus(third);
        Awaitility.await()
                .ignoreExceptions()
                .until(() -> bus.call(PING, new Ping(41)).await().number() == 42);
        System.out.println(LATER);
    }

    private void leadsTo(String... addresses) throws IOException {
        var lines = Stream.of(addresses).map(address -> address + " " + NAME);
        Files.writeString(
                hosts,
                Stream.concat(lines, Stream.of("127.0.0.1 localhost", "")).collect(Collectors.joining("\n")));
    }

    private Vertx start(String address) {
        System.setProperty(HAZELCAST_ADDRESS, address);
        var env = new Env(Map.ofEntries(
                Map.entry("MOLECULE_ENV", "production"),
                Map.entry("MOLECULE_CLUSTER", "dns"),
                Map.entry("MOLECULE_CLUSTER_NAME", "0123456789abcdef0123456789abcdef"),
                Map.entry("MOLECULE_CLUSTER_SERVICE", NAME),
                Map.entry("MOLECULE_CLUSTER_HOST", address),
                Map.entry("MOLECULE_CLUSTER_PORT", port),
                Map.entry("MOLECULE_CLUSTER_BUS_PORT", busPort),
                Map.entry("MOLECULE_CLUSTER_CERTIFICATE", certificate.chain()),
                Map.entry("MOLECULE_CLUSTER_KEY", certificate.key()),
                Map.entry("MOLECULE_CLUSTER_CA", certificate.authorities())));
        return ClusteredVertx.start(ClusterConfig.fromEnv(env)).await();
    }
}
