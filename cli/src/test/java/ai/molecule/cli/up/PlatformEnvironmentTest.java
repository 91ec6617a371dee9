package ai.molecule.cli.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.ClusterSecrets;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.Secrets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What each service is told. */
class PlatformEnvironmentTest {

    private static final Map<Service, Integer> OWNERS =
            Map.of(Service.EVENTS, 4002, Service.REGISTRY, 4001, Service.PROVISIONER, 4003);

    private final DataFolder data = DataFolder.at(Path.of("/data"));
    private final Secrets secrets = new Secrets("key", "edge", "pg", "redis", Optional.empty());

    @Test
    void agents_as_processes_are_refused_where_there_is_no_linux() {
        assertThatThrownBy(() -> UpOptions.requireAgentsRun(UpOptions.Backend.PROCESS, "Mac OS X"))
                .isInstanceOf(LaunchFailure.class)
                .hasMessageContaining("this is Mac OS X; start with --backend docker");
        UpOptions.requireAgentsRun(UpOptions.Backend.DOCKER, "Mac OS X");
        UpOptions.requireAgentsRun(UpOptions.Backend.PROCESS, "Linux");
    }

    @Test
    void only_the_front_door_listens_where_the_user_said() {
        var environment = environment("0.0.0.0", Map.of("ADMIN_TOKEN", "mine"));

        assertThat(environment.of(Service.PROXY, 8080, OWNERS)).containsEntry("MOLECULE_BIND", "0.0.0.0");
        assertThat(environment.of(Service.REGISTRY, 0, Map.of())).containsEntry("MOLECULE_BIND", "127.0.0.1");
    }

    @Test
    void the_front_door_knows_its_owners() {
        assertThat(environment("127.0.0.1", Map.of()).of(Service.PROXY, 8080, OWNERS))
                .containsEntry("PORT", "8080")
                .containsEntry("REGISTRY_URL", "http://127.0.0.1:4001")
                .containsEntry("EVENTS_URL", "http://127.0.0.1:4002")
                .containsEntry("PROVISIONER_URL", "http://127.0.0.1:4003");
    }

    @Test
    void the_provisioner_gets_what_agents_need_and_agents_the_lifeline() {
        assertThat(environment("127.0.0.1", Map.of()).of(Service.PROVISIONER, 0, Map.of()))
                .containsEntry("MOLECULE_BACKEND", "process")
                .containsEntry("MOLECULE_DATA", "/data")
                .containsEntry("CONFIGS_DIR", "/data/templates")
                .containsEntry("MOLECULE_RUNTIME_JAR", "/runtime.jar")
                .containsEntry("MOLECULE_AGENT_LIFELINE", "/data/lifeline")
                .containsEntry("PLATFORM_URL", "http://127.0.0.1:8080");
    }

    @Test
    void web_servers_of_agents_that_are_processes_have_names_of_their_own_unless_the_user_says_otherwise() {
        assertThat(environment("127.0.0.1", Map.of()).of(Service.PROXY, 8080, OWNERS))
                .containsEntry("MOLECULE_AGENTS_HOST", "agents.localhost");
        assertThat(environment("127.0.0.1", Map.of("MOLECULE_AGENTS_HOST", "none"))
                        .of(Service.PROXY, 8080, OWNERS))
                .containsEntry("MOLECULE_AGENTS_HOST", "none");
    }

    @Test
    void in_production_agents_that_are_processes_come_in_at_a_port_of_their_own() {
        var production = options("127.0.0.1", UpOptions.Mode.PRODUCTION);
        var surroundings = PlatformEnvironment.withAgentsDoor(Map.of(), production, 7000);
        var environment = new PlatformEnvironment(
                production, data, secrets, surroundings, "db", "redis", Path.of("/runtime.jar"));

        assertThat(environment.of(Service.PROXY, 8080, OWNERS))
                .containsEntry("MOLECULE_AGENTS_PORT", "7000")
                .containsEntry("PLATFORM_URL", "http://127.0.0.1:8080");
        assertThat(environment.of(Service.PROVISIONER, 0, Map.of()))
                .containsEntry("PLATFORM_URL", "http://127.0.0.1:7000")
                .containsEntry("EXTERNAL_PLATFORM_URL", "http://127.0.0.1:8080");
    }

    @Test
    void elsewhere_and_where_the_user_says_where_agents_come_in_there_is_none() {
        var production = options("127.0.0.1", UpOptions.Mode.PRODUCTION);
        var theirs = Map.of("MOLECULE_AGENTS_BIND", "10.0.0.1");

        assertThat(PlatformEnvironment.withAgentsDoor(Map.of(), options("0.0.0.0", UpOptions.Mode.DEVELOPMENT), 7000))
                .isEmpty();
        assertThat(PlatformEnvironment.withAgentsDoor(theirs, production, 7000)).isEqualTo(theirs);
    }

    @Test
    void what_the_user_set_passes_but_does_not_replace_what_the_launcher_decides() {
        var env = environment("127.0.0.1", Map.of("RATE_LIMIT", "7", "SECRETS_ENCRYPTION_KEY", "own", "PORT", "1"))
                .of(Service.PROXY, 8080, OWNERS);

        assertThat(env).containsEntry("RATE_LIMIT", "7").containsEntry("SECRETS_ENCRYPTION_KEY", "own");
        assertThat(env).containsEntry("PORT", "8080");
    }

    @Test
    void a_service_of_its_own_joins_the_others_and_ends_with_the_launcher() {
        var ports = Map.of(Service.EVENTS, 1, Service.REGISTRY, 2, Service.PROVISIONER, 3, Service.PROXY, 4);
        var cluster = new ClusterSecrets(Path.of("/name"), Path.of("/certificate"), Path.of("/key"));

        assertThat(environment("127.0.0.1", Map.of("MOLECULE_CLUSTER_NAME", "another"))
                        .clustered(Service.REGISTRY, 4001, OWNERS, cluster, ports))
                .containsEntry("MOLECULE_CLUSTER", "tcp")
                .doesNotContainKey("MOLECULE_CLUSTER_NAME")
                .containsEntry("MOLECULE_CLUSTER_NAME_FILE", "/name")
                .containsEntry("MOLECULE_CLUSTER_KEY_FILE", "/key")
                .containsEntry("MOLECULE_CLUSTER_CA_FILE", "/certificate")
                .containsEntry("MOLECULE_CLUSTER_PORT", "2")
                .containsEntry("MOLECULE_CLUSTER_MEMBERS", "127.0.0.1:1,127.0.0.1:2,127.0.0.1:3,127.0.0.1:4")
                .containsEntry("MOLECULE_LIFELINE", "stdin");
    }

    private PlatformEnvironment environment(String bind, Map<String, String> user) {
        return new PlatformEnvironment(
                options(bind, UpOptions.Mode.DEVELOPMENT), data, secrets, user, "db", "redis", Path.of("/runtime.jar"));
    }

    private UpOptions options(String bind, UpOptions.Mode mode) {
        return new UpOptions(8080, data.root(), bind, UpOptions.Backend.PROCESS, true, false, mode);
    }
}
