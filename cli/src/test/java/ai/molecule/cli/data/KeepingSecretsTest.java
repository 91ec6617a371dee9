package ai.molecule.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a first start makes up and every later start finds again. */
class KeepingSecretsTest {

    @TempDir
    Path temp;

    private DataFolder data;

    @BeforeEach
    void openFolder() {
        data = DataFolder.open(temp.resolve("data"));
    }

    @Test
    void the_data_folder_and_its_secrets_are_closed_to_others() throws IOException {
        Secrets.load(data, true);

        assertThat(mode(data.root())).isEqualTo("rwx------");
        assertThat(mode(data.secrets())).isEqualTo("rwx------");
        try (var files = Files.list(data.secrets())) {
            assertThat(files.toList())
                    .hasSize(5)
                    .allSatisfy(file -> assertThat(mode(file)).isEqualTo("rw-------"));
        }
    }

    @Test
    void the_encryption_key_is_base64_of_32_bytes() throws IOException {
        assertThat(Base64.getDecoder().decode(Secrets.load(data, false).encryptionKey()))
                .hasSize(32);
    }

    @Test
    void a_second_start_finds_the_same_secrets() throws IOException {
        var first = Secrets.load(data, true);

        assertThat(Secrets.load(data, true)).isEqualTo(first);
    }

    @Test
    void a_key_that_is_gone_or_empty_is_not_replaced_by_another() throws IOException {
        Secrets.load(data, false);
        Path key = data.secrets().resolve("encryption-key");
        Files.delete(key);

        refused("missing");
        assertThat(key).doesNotExist();
        Files.writeString(key, "\n");
        refused("empty");
        assertThat(key).hasContent("\n");
    }

    private void refused(String why) {
        assertThatThrownBy(() -> Secrets.load(data, false, Map.of()))
                .isInstanceOfSatisfying(LaunchFailure.class, failure -> {
                    assertThat(failure.exitCode()).isEqualTo(2);
                    assertThat(failure.sentence())
                            .contains("secrets/encryption-key is " + why, "SECRETS_ENCRYPTION_KEY")
                            .doesNotContain("\n");
                });
    }

    @Test
    void a_key_of_the_environment_needs_none_in_the_folder() throws IOException {
        var named = Map.of("SECRETS_ENCRYPTION_KEY", "a key");

        assertThat(Secrets.load(data, false, named).encryptionKey()).isEqualTo("a key");
        assertThat(Secrets.load(data, false, named).encryptionKey()).isEqualTo("a key");

        assertThat(data.secrets().resolve("encryption-key")).doesNotExist();
        refused("missing");
    }

    @Test
    void development_has_no_admin_token() throws IOException {
        assertThat(Secrets.load(data, false).adminToken()).isEmpty();
        assertThat(data.secrets().resolve(Secrets.ADMIN_TOKEN_FILE)).doesNotExist();
    }

    @Test
    void printing_the_secrets_shows_none_of_them() throws IOException {
        var secrets = Secrets.load(data, true);

        assertThat(secrets.toString()).doesNotContain(secrets.encryptionKey(), secrets.postgresPassword());
    }

    private static String mode(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
