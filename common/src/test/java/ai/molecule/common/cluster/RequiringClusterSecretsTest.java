package ai.molecule.common.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that would join a cluster strangers may reach does not start without the cluster's secrets. */
class RequiringClusterSecretsTest {

    private static final String NAME = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private static ClusterCertificate certificate;

    @BeforeAll
    static void make(@TempDir Path folder) throws IOException {
        certificate = NewCertificate.make(folder);
    }

    @Test
    void production_names_all_that_are_missing() {
        assertThatThrownBy(() -> read("MOLECULE_ENV", "production"))
                .hasMessage("MOLECULE_CLUSTER_NAME, MOLECULE_CLUSTER_CERTIFICATE, MOLECULE_CLUSTER_KEY, "
                        + "MOLECULE_CLUSTER_CA: required for a cluster in production or beyond loopback");
        assertThatThrownBy(() -> read(
                        "MOLECULE_ENV",
                        "production",
                        "MOLECULE_CLUSTER_NAME",
                        NAME,
                        "with",
                        "certificate",
                        "MOLECULE_CLUSTER_KEY",
                        ""))
                .hasMessage("MOLECULE_CLUSTER_KEY: required for a cluster in production or beyond loopback");
    }

    @Test
    void so_does_a_member_that_listens_beyond_loopback() {
        assertThatThrownBy(() -> read("MOLECULE_CLUSTER_HOST", "10.0.0.7", "with", "certificate"))
                .hasMessage("MOLECULE_CLUSTER_NAME: required for a cluster in production or beyond loopback");
    }

    @Test
    void a_name_that_could_be_guessed_is_refused() {
        assertThatThrownBy(() ->
                        read("MOLECULE_ENV", "production", "MOLECULE_CLUSTER_NAME", "molecule", "with", "certificate"))
                .hasMessageContaining("at least 32 characters");
    }

    @Test
    void what_is_no_certificate_is_named() {
        assertThatThrownBy(() -> read("with", "certificate", "MOLECULE_CLUSTER_CA", "none"))
                .hasMessageStartingWith("MOLECULE_CLUSTER_CA ");
        assertThatThrownBy(() ->
                        read("with", "certificate", "MOLECULE_CLUSTER_KEY", "-----BEGIN ENCRYPTED PRIVATE KEY-----"))
                .hasMessageStartingWith("MOLECULE_CLUSTER_KEY ");
        assertThatThrownBy(() -> read("with", "certificate", "MOLECULE_CLUSTER_CERTIFICATE", ""))
                .hasMessage("MOLECULE_CLUSTER_CERTIFICATE is required");
    }

    @Test
    void with_all_of_them_it_starts_and_prints_none() {
        var config = read("MOLECULE_ENV", "production", "MOLECULE_CLUSTER_NAME", NAME, "with", "certificate");

        assertThat(requireNonNull(config.certificate()).key())
                .isEqualTo(certificate.key().strip());
        assertThat(config.toString() + config.certificate())
                .doesNotContain(NAME)
                .doesNotContain("PRIVATE KEY");
    }

    @Test
    void one_jvm_needs_none() {
        assertThat(read("MOLECULE_ENV", "production", "MOLECULE_CLUSTER", "none")
                        .certificate())
                .isNull();
    }

    /** @param variables name, value, …; {@code with certificate} stands for its three */
    private static ClusterConfig read(String... variables) {
        Map<String, String> env =
                new HashMap<>(Map.of("MOLECULE_CLUSTER", "tcp", "MOLECULE_CLUSTER_MEMBERS", "127.0.0.1:5701"));
        for (int i = 0; i < variables.length; i += 2) {
            if (variables[i].equals("with")) {
                env.put("MOLECULE_CLUSTER_CERTIFICATE", certificate.chain());
                env.put("MOLECULE_CLUSTER_KEY", certificate.key());
                env.put("MOLECULE_CLUSTER_CA", certificate.authorities());
            } else {
                env.put(variables[i], variables[i + 1]);
            }
        }
        return ClusterConfig.fromEnv(new Env(env));
    }
}
