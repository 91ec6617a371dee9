package ai.molecule.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.proxy.ProxyConfig.AgentsListener;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The environment, read once. */
class ConfiguringTheProxyTest {

    @Test
    void unset_variables_have_the_documented_values() {
        var config = ProxyConfig.fromEnv(env());

        assertThat(config.port()).isEqualTo(8080);
        assertThat(config.owners().registry()).containsExactly(URI.create("http://127.0.0.1:8081"));
        assertThat(config.owners().events()).containsExactly(URI.create("http://127.0.0.1:8082"));
        assertThat(config.owners().provisioner()).containsExactly(URI.create("http://127.0.0.1:8083"));
        assertThat(config.a2a().callerWait()).isEqualTo(Duration.ofSeconds(120));
        assertThat(config.a2a().upstream()).isEqualTo(Duration.ofMinutes(30));
    }

    @Test
    void agents_come_in_at_a_port_or_at_an_address_of_their_own_or_at_neither() {
        assertThat(ProxyConfig.fromEnv(env()).agents()).isNull();
        assertThat(ProxyConfig.fromEnv(env("MOLECULE_AGENTS_PORT", "8079")).agents())
                .isEqualTo(new AgentsListener("127.0.0.1", 8079));
        assertThat(ProxyConfig.fromEnv(env("MOLECULE_AGENTS_BIND", "172.17.0.1"))
                        .agents())
                .isEqualTo(new AgentsListener("172.17.0.1", null));
    }

    @Test
    void web_servers_of_agents_have_a_domain_of_their_own_or_are_not_shown() {
        assertThat(ProxyConfig.fromEnv(env()).agentsHost()).isNull();
        assertThat(ProxyConfig.fromEnv(env("MOLECULE_AGENTS_HOST", "none")).agentsHost())
                .isNull();
        assertThat(ProxyConfig.fromEnv(env("MOLECULE_AGENTS_HOST", "Agents.localhost"))
                        .agentsHost())
                .isEqualTo("agents.localhost");
        for (String wrong : new String[] {"127.0.0.1", "-x.example", "a..b", "*.example.org", "http://x", "x:80"}) {
            assertThatThrownBy(() -> ProxyConfig.fromEnv(env("MOLECULE_AGENTS_HOST", wrong)))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("MOLECULE_AGENTS_HOST must be a domain such as agents.example.com, or none");
        }
    }

    @Test
    void the_platform_is_at_no_name_under_the_agents_domain() {
        assertThatThrownBy(() -> ProxyConfig.fromEnv(
                        env("MOLECULE_AGENTS_HOST", "example.org", "MOLECULE_HOSTS", "molecule.example.org")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "MOLECULE_AGENTS_HOST must be a domain of the agents' own: the platform is at molecule.example.org");
        assertThatThrownBy(() -> ProxyConfig.fromEnv(env("MOLECULE_AGENTS_HOST", "localhost")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("the platform is at localhost");
    }

    @Test
    void waits_can_be_set_in_seconds() {
        var config = ProxyConfig.fromEnv(env("A2A_CALLER_WAIT_SECONDS", "7", "A2A_UPSTREAM_SECONDS", "9"));

        assertThat(config.a2a().callerWait()).isEqualTo(Duration.ofSeconds(7));
        assertThat(config.a2a().upstream()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void an_owners_address_that_is_none_is_named() {
        assertThatThrownBy(() -> ProxyConfig.fromEnv(env("EVENTS_URL", "http://other:8082, events:8082")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("EVENTS_URL must look like http://host:port");
    }

    private static Map<String, String> env(String... pairs) {
        Map<String, String> env = new HashMap<>(Map.of("DATABASE_URL", "postgresql://u:p@127.0.0.1:5432/db"));
        for (int i = 0; i < pairs.length; i += 2) {
            env.put(pairs[i], pairs[i + 1]);
        }
        return env;
    }
}
