package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the registry reads from its environment. */
class RegistryConfigTest {

    private static final String DATABASE = "postgresql://u:p@127.0.0.1:1/d";

    @Test
    void production_refuses_a_key_that_is_none_and_elsewhere_it_counts_as_absent() {
        var env = Map.of(
                "DATABASE_URL", DATABASE,
                "ADMIN_TOKEN", "t",
                "MOLECULE_ENV", "production",
                "SECRETS_ENCRYPTION_KEY", "0123456789abcdef0123456789abcdef");

        assertThatThrownBy(() -> RegistryConfig.fromEnv(env))
                .hasMessage(
                        "SECRETS_ENCRYPTION_KEY must be 32 bytes in Base64, or 32 bytes of text that is not Base64");
        assertThat(RegistryConfig.fromEnv(Map.of("DATABASE_URL", DATABASE, "SECRETS_ENCRYPTION_KEY", "own"))
                        .encryptionKey())
                .isNull();
    }

    @Test
    void a_config_does_not_print_its_key() {
        var config = RegistryConfig.fromEnv(
                Map.of("DATABASE_URL", DATABASE, "SECRETS_ENCRYPTION_KEY", "a raw key of exactly 32 bytes !!"));

        assertThat(config.encryptionKey()).isNotNull();
        assertThat(config.toString()).doesNotContain("raw key");
    }
}
