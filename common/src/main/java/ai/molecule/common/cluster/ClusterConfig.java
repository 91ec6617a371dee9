package ai.molecule.common.cluster;

import ai.molecule.common.config.Env;
import java.util.List;
import java.util.Locale;

/**
 * How a service joins the others.
 *
 * @param mode {@code MOLECULE_CLUSTER}: none (all services in one JVM), tcp or kubernetes
 * @param name {@code MOLECULE_CLUSTER_NAME}: only members that know it join; treat it as a secret
 * @param host {@code MOLECULE_CLUSTER_HOST}: the address this member listens on, default 127.0.0.1
 * @param port {@code MOLECULE_CLUSTER_PORT}, default 5701
 * @param members {@code MOLECULE_CLUSTER_MEMBERS}: {@code host:port} of possible members, for tcp
 * @param service {@code MOLECULE_CLUSTER_SERVICE}: DNS name of the headless service, for kubernetes
 */
public record ClusterConfig(Mode mode, String name, String host, int port, List<String> members, String service) {

    /** Ways to find the other members. */
    public enum Mode {
        NONE,
        TCP,
        KUBERNETES
    }

    public static ClusterConfig fromEnv(Env env) {
        String mode = env.text("MOLECULE_CLUSTER", "none").toUpperCase(Locale.ROOT);
        if (!List.of("NONE", "TCP", "KUBERNETES").contains(mode)) {
            throw new IllegalArgumentException("MOLECULE_CLUSTER must be none, tcp or kubernetes");
        }
        var config = new ClusterConfig(
                Mode.valueOf(mode),
                env.text("MOLECULE_CLUSTER_NAME", "molecule"),
                env.text("MOLECULE_CLUSTER_HOST", "127.0.0.1"),
                env.port("MOLECULE_CLUSTER_PORT", 5701),
                env.list("MOLECULE_CLUSTER_MEMBERS"),
                env.text("MOLECULE_CLUSTER_SERVICE", ""));
        if (config.mode == Mode.TCP && config.members.isEmpty()) {
            throw new IllegalArgumentException("MOLECULE_CLUSTER_MEMBERS is required when MOLECULE_CLUSTER is tcp");
        }
        if (config.mode == Mode.KUBERNETES && config.service.isEmpty()) {
            throw new IllegalArgumentException(
                    "MOLECULE_CLUSTER_SERVICE is required when MOLECULE_CLUSTER is kubernetes");
        }
        return config;
    }

    /** Without the name, which is the join secret. */
    @Override
    public String toString() {
        return "ClusterConfig[mode=%s, host=%s, port=%d]".formatted(mode, host, port);
    }
}
