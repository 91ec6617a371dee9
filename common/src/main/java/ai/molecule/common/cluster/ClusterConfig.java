package ai.molecule.common.cluster;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a service joins the others. In production, and wherever a member listens beyond loopback, the name and the certificate
 * are required.
 *
 * @param mode {@code MOLECULE_CLUSTER}: none (all services in one JVM), tcp or dns
 * @param name {@code MOLECULE_CLUSTER_NAME}: only members that know it join; a secret of at least 32 characters
 * @param host {@code MOLECULE_CLUSTER_HOST}: this member's address, or a name for one of this machine's, default 127.0.0.1
 * @param port {@code MOLECULE_CLUSTER_PORT}: where members meet, default 5701
 * @param busPort {@code MOLECULE_CLUSTER_BUS_PORT}: where the event bus listens, default 0: any
 * @param members {@code MOLECULE_CLUSTER_MEMBERS}: {@code host:port} of possible members, for tcp
 * @param service {@code MOLECULE_CLUSTER_SERVICE}: name whose addresses are all members, such as a headless service of Kubernetes, for dns
 * @param certificate null where none is required and none was given: then the event bus is not encrypted
 */
public record ClusterConfig(
        Mode mode,
        String name,
        String host,
        int port,
        int busPort,
        List<String> members,
        String service,
        @Nullable ClusterCertificate certificate) {

    /** Ways to find the other members. */
    public enum Mode {
        NONE,
        TCP,
        DNS
    }

    private static final String NAME = "MOLECULE_CLUSTER_NAME";
    private static final List<String> CERTIFICATE =
            List.of("MOLECULE_CLUSTER_CERTIFICATE", "MOLECULE_CLUSTER_KEY", "MOLECULE_CLUSTER_CA");
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

    /** 256 random bits are 64 hexadecimal digits or 43 of Base64. This admits other spellings of a secret, and no word or name. */
    private static final int NAME_MIN_LENGTH = 32;

    /** {@link IllegalArgumentException} says in one sentence what is wrong or missing. */
    public static ClusterConfig fromEnv(Env env) {
        String mode = env.text("MOLECULE_CLUSTER", "none").toUpperCase(Locale.ROOT);
        if (!List.of("NONE", "TCP", "DNS").contains(mode)) {
            throw new IllegalArgumentException("MOLECULE_CLUSTER must be none, tcp or dns");
        }
        boolean alone = mode.equals("NONE");
        String host = env.text("MOLECULE_CLUSTER_HOST", "127.0.0.1");
        if (!alone
                && (Environment.of(env.find("MOLECULE_ENV")) == Environment.PRODUCTION || !LOOPBACK.contains(host))) {
            requireSecrets(env);
        }
        var config = new ClusterConfig(
                Mode.valueOf(mode),
                env.text(NAME, "molecule"),
                host,
                env.port("MOLECULE_CLUSTER_PORT", 5701),
                env.port("MOLECULE_CLUSTER_BUS_PORT", 0),
                env.list("MOLECULE_CLUSTER_MEMBERS"),
                env.text("MOLECULE_CLUSTER_SERVICE", ""),
                alone ? null : certificate(env));
        if (config.mode == Mode.TCP && config.members.isEmpty()) {
            throw new IllegalArgumentException("MOLECULE_CLUSTER_MEMBERS is required when MOLECULE_CLUSTER is tcp");
        }
        if (config.mode == Mode.DNS && config.service.isEmpty()) {
            throw new IllegalArgumentException("MOLECULE_CLUSTER_SERVICE is required when MOLECULE_CLUSTER is dns");
        }
        return config;
    }

    private static void requireSecrets(Env env) {
        var missing = Stream.concat(Stream.of(NAME), CERTIFICATE.stream())
                .filter(variable -> env.find(variable) == null)
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("%s: required for a cluster in production or beyond loopback"
                    .formatted(String.join(", ", missing)));
        }
        if (env.required(NAME).length() < NAME_MIN_LENGTH) {
            throw new IllegalArgumentException(
                    "%s must be a random secret of at least %d characters (openssl rand -hex 32)"
                            .formatted(NAME, NAME_MIN_LENGTH));
        }
    }

    private static @Nullable ClusterCertificate certificate(Env env) {
        if (CERTIFICATE.stream().allMatch(variable -> env.find(variable) == null)) {
            return null;
        }
        return new ClusterCertificate(
                env.required("MOLECULE_CLUSTER_CERTIFICATE"),
                env.required("MOLECULE_CLUSTER_KEY"),
                env.required("MOLECULE_CLUSTER_CA"));
    }

    /** Without the name, which is the join secret. */
    @Override
    public String toString() {
        return "ClusterConfig[mode=%s, host=%s, port=%d]".formatted(mode, host, port);
    }
}
