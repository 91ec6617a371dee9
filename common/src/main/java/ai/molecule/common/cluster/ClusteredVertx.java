package ai.molecule.common.cluster;

import ai.molecule.common.net.SharedPorts;
import ai.molecule.common.tracing.Tracing;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.spi.cluster.hazelcast.ConfigUtil;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Starts Vert.x alone or as a member of the Hazelcast cluster that carries the event bus. */
public final class ClusteredVertx {

    /** A silent member is dropped after this long; Hazelcast's default of 60 s would swallow calls to it for a minute. */
    private static final String MEMBER_SILENCE_MAX_SECONDS = "10";

    /**
     * A member that stood still and was dropped meanwhile looks for the others this often, and joins them again with what it
     * serves; with Hazelcast's defaults nobody could call it for the next 5 minutes.
     */
    private static final String REJOIN_SECONDS = "3";

    /** Members share a network: one that does not accept a connection by then is gone. */
    private static final int CONNECT_MILLIS = 2_000;

    /** A member that leaves hands on what it holds of the maps; the others have copies. */
    private static final String LEAVE_SECONDS = "3";

    /** How long a member looks for others by name before it starts a cluster of its own; 0 would mean not looking at all. */
    private static final String LOOK_UP_SECONDS = "3";

    /**
     * A connection of the bus on which nobody answers for so long is closed, with what was still to be sent on it, and opened again: Vert.x'
     * default is 40 s.
     */
    private static final int PING_MILLIS = 4_000;

    private static final int PONG_MILLIS = 5_000;

    private ClusteredVertx() {}

    /** Without tracing. */
    public static Future<Vertx> start(ClusterConfig cluster) {
        return start(cluster, Tracing.OFF);
    }

    /** @throws IllegalArgumentException when the cluster's host means no address of this machine */
    public static Future<Vertx> start(ClusterConfig cluster, Tracing tracing) {
        return start(cluster, tracing, Map.of());
    }

    /** The same. @param variables of the process, in which the launcher says which ports it holds */
    public static Future<Vertx> start(ClusterConfig cluster, Tracing tracing, Map<String, String> variables) {
        return start(cluster, tracing, variables, bus -> bus);
    }

    /** The same. @param changed the bus, which others may reach in another way than by its own port */
    static Future<Vertx> start(
            ClusterConfig cluster,
            Tracing tracing,
            Map<String, String> variables,
            UnaryOperator<EventBusOptions> changed) {
        var builder = SharedPorts.over(tracing.over(Vertx.builder()), variables);
        if (cluster.mode() == ClusterConfig.Mode.NONE) {
            return Future.succeededFuture(builder.build());
        }
        String host = LocalAddress.of(cluster.host());
        var bus = new EventBusOptions()
                .setHost(host)
                .setPort(cluster.busPort())
                .setClusterPublicHost(host)
                .setClusterPingInterval(PING_MILLIS)
                .setClusterPingReplyInterval(PONG_MILLIS)
                .setConnectTimeout(CONNECT_MILLIS);
        if (cluster.certificate() != null) {
            MutualTls.require(bus, cluster.certificate());
        }
        var members = new RoutingMembers(hazelcast(cluster, host));
        return builder.with(new VertxOptions().setEventBusOptions(changed.apply(bus)))
                .withClusterManager(members)
                .buildClustered()
                .compose(vertx -> members.answerOn(vertx).map(vertx));
    }

    private static Config hazelcast(ClusterConfig cluster, String host) {
        var config = ConfigUtil.loadConfig(); // carries the maps and locks the cluster manager relies on
        config.setClusterName(cluster.name());
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "slf4j");
        config.setProperty("hazelcast.logging.details.enabled", "false"); // its log would show the cluster's name
        config.setProperty("hazelcast.graceful.shutdown.max.wait", LEAVE_SECONDS);
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.setProperty("hazelcast.wait.seconds.before.join", "0");
        config.setProperty("hazelcast.max.wait.seconds.before.join", "0"); // let a new member in at once
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        config.setProperty("hazelcast.max.no.heartbeat.seconds", MEMBER_SILENCE_MAX_SECONDS);
        config.setProperty("hazelcast.heartbeat.interval.seconds", "2");
        config.setProperty("hazelcast.merge.first.run.delay.seconds", REJOIN_SECONDS);
        config.setProperty("hazelcast.merge.next.run.delay.seconds", REJOIN_SECONDS);
        config.setProperty("hazelcast.partition.count", "71");
        config.getSerializationConfig().setJavaSerializationFilterConfig(knownClasses());
        var network = config.getNetworkConfig();
        network.setPort(cluster.port()).setPortAutoIncrement(false);
        network.getInterfaces().setEnabled(true).addInterface(host);
        var join = network.getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        switch (cluster.mode()) {
            case TCP -> {
                var tcp = join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(2);
                cluster.members().forEach(tcp::addMember);
            }
            case DNS -> { // Hazelcast's Kubernetes plugin only asks DNS when it is given a service-dns
                config.setProperty("hazelcast.wait.seconds.before.join", LOOK_UP_SECONDS);
                join.getKubernetesConfig()
                        .setEnabled(true)
                        .setProperty("service-dns", cluster.service())
                        .setProperty("service-port", String.valueOf(cluster.port()));
            }
            case NONE -> throw new IllegalArgumentException("no cluster to join");
        }
        return config;
    }

    /** What members may send each other: classes of the JDK and Hazelcast (its own list) and of Vert.x. Others are not deserialised. */
    private static JavaSerializationFilterConfig knownClasses() {
        var filter = new JavaSerializationFilterConfig();
        filter.getWhitelist().addPrefixes("io.vertx.");
        return filter;
    }
}
