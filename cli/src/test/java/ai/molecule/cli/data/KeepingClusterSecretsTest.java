package ai.molecule.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeepingClusterSecretsTest {

    @Test
    void they_are_made_once_and_closed_to_others(@TempDir Path folder) throws IOException {
        var data = DataFolder.open(folder);
        var secrets = ClusterSecrets.load(data);
        String name = Files.readString(secrets.name());
        String certificate = Files.readString(secrets.certificate());
        String key = Files.readString(secrets.key());

        var again = ClusterSecrets.load(data);

        assertThat(name.strip()).hasSize(64);
        assertThat(again.name()).hasContent(name);
        assertThat(again.certificate()).hasContent(certificate);
        assertThat(again.key()).hasContent(key);
        try (var files = Files.list(data.secrets())) {
            for (Path file : files.toList()) {
                assertThat(secrets.variables()).containsValue(file);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }
        }
    }

    @Test
    void a_certificate_that_can_no_longer_be_used_is_replaced(@TempDir Path folder) throws IOException {
        var data = DataFolder.open(folder);
        var secrets = ClusterSecrets.load(data);
        Files.writeString(secrets.certificate(), "");

        ClusterSecrets.load(data);

        assertThat(secrets.certificate()).content().contains("BEGIN CERTIFICATE");
    }
}
