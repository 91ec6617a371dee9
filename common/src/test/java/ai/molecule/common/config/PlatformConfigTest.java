package ai.molecule.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an environment makes of the platform, and which environments it refuses. */
class PlatformConfigTest {

    @Test
    void production_needs_an_admin_token_and_no_key_it_does_not_use() {
        assertThatThrownBy(() -> read("MOLECULE_ENV", "production")).hasMessage("ADMIN_TOKEN is required");
        assertThat(read("MOLECULE_ENV", "prod", "ADMIN_TOKEN", "t").environment())
                .isEqualTo(Environment.PRODUCTION);
    }

    @Test
    void redis_is_taken_for_granted_unless_there_is_none() {
        assertThat(read().redisUrl()).isEqualTo("redis://127.0.0.1:6379");
        assertThat(read("REDIS_URL", "redis://elsewhere").redisUrl()).isEqualTo("redis://elsewhere");
        assertThat(read("REDIS_URL", "redis://elsewhere", "MOLECULE_REDIS", "none")
                        .redisUrl())
                .isNull();
        assertThatThrownBy(() -> read("MOLECULE_REDIS", "off")).hasMessage("MOLECULE_REDIS must be none, or unset");
    }

    @Test
    void the_hatch_is_open_in_development_without_an_admin_token_only() {
        assertThat(read("MOLECULE_ENV", " Dev ").hatchOpen()).isTrue();
        assertThat(read("MOLECULE_ENV", "development", "ADMIN_TOKEN", "t").hatchOpen())
                .isFalse();
        assertThat(read().hatchOpen()).isFalse();
    }

    @Test
    void development_listens_on_loopback_unless_an_admin_token_guards_it() {
        assertThat(read("MOLECULE_ENV", "development").bindHost()).isEqualTo("127.0.0.1");
        assertThatThrownBy(() -> read("MOLECULE_ENV", "development", "MOLECULE_BIND", "0.0.0.0"))
                .hasMessageContaining("loopback only unless ADMIN_TOKEN is set");
        assertThat(read("MOLECULE_ENV", "development", "ADMIN_TOKEN", "t").bindHost())
                .isEqualTo("0.0.0.0");
    }

    @Test
    void test_tokens_are_off_in_production_unless_asked_for() {
        String[] production = {"MOLECULE_ENV", "production", "ADMIN_TOKEN", "t", "SECRETS_ENCRYPTION_KEY", "k"};
        assertThat(read(production).testTokensEnabled()).isFalse();
        assertThat(read().testTokensEnabled()).isTrue();
    }

    @Test
    void a_bad_number_is_named() {
        assertThatThrownBy(() -> read("RATE_LIMIT", "lots"))
                .hasMessage("RATE_LIMIT must be a whole number from 1 to 10000000");
        assertThatThrownBy(() -> read("RATE_LIMIT_WINDOW_SECONDS", "0"))
                .hasMessage("RATE_LIMIT_WINDOW_SECONDS must be a whole number from 1 to 3600");
    }

    @Test
    void no_credential_is_printed() {
        assertThat(read("ADMIN_TOKEN", "s3cret", "MOLECULE_EDGE_SECRET", "s3cret")
                        .toString())
                .doesNotContain("s3cret")
                .doesNotContain("pw");
    }

    private static PlatformConfig read(String... variables) {
        Map<String, String> env = new HashMap<>(Map.of("DATABASE_URL", "postgresql://u:pw@localhost:5432/d"));
        for (int i = 0; i < variables.length; i += 2) {
            env.put(variables[i], variables[i + 1]);
        }
        return PlatformConfig.fromEnv(env);
    }
}
