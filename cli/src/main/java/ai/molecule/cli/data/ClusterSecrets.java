package ai.molecule.cli.data;

import ai.molecule.common.cluster.ClusterCertificate;
import ai.molecule.common.cluster.NewCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/**
 * What lets the services of this folder join each other when each is a process of its own: made at the first such start, and
 * the certificate again when its time is over. One file each, mode 0600.
 *
 * @param certificate also the authority: it is self-signed
 */
public record ClusterSecrets(Path name, Path certificate, Path key) {

    public static ClusterSecrets load(DataFolder data) throws IOException {
        var secrets = new ClusterSecrets(
                data.secrets().resolve("cluster-name"),
                data.secrets().resolve("cluster-certificate.pem"),
                data.secrets().resolve("cluster-key.pem"));
        Secrets.readOrCreate(secrets.name, Secrets.hex());
        if (!secrets.isUsable()) {
            var fresh = NewCertificate.make(data.secrets());
            PrivateFiles.write(secrets.key, fresh.key());
            PrivateFiles.write(secrets.certificate, fresh.chain());
        }
        return secrets;
    }

    /** Variables of a service, each with the file that holds its value. */
    public Map<String, Path> variables() {
        return Map.of(
                "MOLECULE_CLUSTER_NAME", name,
                "MOLECULE_CLUSTER_CERTIFICATE", certificate,
                "MOLECULE_CLUSTER_KEY", key,
                "MOLECULE_CLUSTER_CA", certificate);
    }

    private boolean isUsable() throws IOException {
        try {
            String chain = Files.readString(certificate);
            new ClusterCertificate(chain, Files.readString(key), chain);
            return true;
        } catch (NoSuchFileException | IllegalArgumentException missingOrPast) {
            return false;
        }
    }
}
