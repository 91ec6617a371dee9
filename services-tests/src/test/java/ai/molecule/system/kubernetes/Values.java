package ai.molecule.system.kubernetes;

import ai.molecule.common.cluster.ClusterCertificate;
import ai.molecule.common.cluster.NewCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;

/** What stands in the secrets while the manifests are checked. */
final class Values {

    static final String DATABASE_URL = "postgresql://molecule:secret@database.example:5432/molecule";
    static final String REDIS_URL = "redis://:secret@redis.example:6379";
    static final String CLUSTER_NAME = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private static final ClusterCertificate CERTIFICATE = certificate();

    private Values() {}

    static Map<String, String> all() {
        return Map.ofEntries(
                Map.entry("admin-token", "an-administrator"),
                Map.entry("encryption-key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
                Map.entry("edge-secret", "an-edge"),
                Map.entry("database-url", DATABASE_URL),
                Map.entry("redis-url", REDIS_URL),
                Map.entry("cluster-name", CLUSTER_NAME),
                Map.entry("tls.crt", CERTIFICATE.chain()),
                Map.entry("tls.key", CERTIFICATE.key()),
                Map.entry("ca.crt", CERTIFICATE.authorities()),
                Map.entry("token", "a-token-of-vault"),
                Map.entry("postgres-password", "secret"),
                Map.entry("redis.conf", "requirepass secret"));
    }

    private static ClusterCertificate certificate() {
        try {
            var folder = Files.createTempDirectory("molecule-certificate-");
            try {
                return NewCertificate.make(folder);
            } finally {
                Files.delete(folder);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
