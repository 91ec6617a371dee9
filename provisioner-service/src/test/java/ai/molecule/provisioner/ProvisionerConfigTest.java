package ai.molecule.provisioner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.cluster.ClusterCertificate;
import ai.molecule.common.cluster.NewCertificate;
import ai.molecule.provisioner.backend.AgentDefaults;
import ai.molecule.provisioner.backend.BackendKind;
import ai.molecule.provisioner.backend.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the provisioner accepts from its environment. */
class ProvisionerConfigTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void without_a_word_about_backends_there_is_none() {
        var config = read();

        assertThat(config.backend()).isEqualTo(BackendKind.NONE);
        assertThat(config.port()).isEqualTo(8083);
        assertThat(config.process().platformUrl()).isEqualTo("http://127.0.0.1:8080");
        assertThat(config.reconcile().sweep()).hasSeconds(15);
    }

    @Test
    void what_is_no_backend_is_refused_in_one_sentence() {
        assertThatThrownBy(() -> read("MOLECULE_BACKEND", "vm"))
                .hasMessage("MOLECULE_BACKEND must be process, docker, kubernetes or none");
    }

    @Test
    void a_namespace_or_volume_that_the_cluster_would_refuse_is_refused_at_once() {
        assertThatThrownBy(() -> read("MOLECULE_AGENTS_NAMESPACE", "Agents!"))
                .hasMessage("MOLECULE_AGENTS_NAMESPACE is not the name of a namespace");
        assertThatThrownBy(() -> read("MOLECULE_AGENT_VOLUME", "much"))
                .hasMessage("MOLECULE_AGENT_VOLUME is not a Kubernetes quantity, such as 2Gi");
    }

    @Test
    void the_process_backend_needs_a_folder_and_something_to_run() {
        assertThatThrownBy(() -> read("MOLECULE_BACKEND", "process")).hasMessage("MOLECULE_DATA is required");
        assertThatThrownBy(() -> read("MOLECULE_BACKEND", "process", "MOLECULE_DATA", "/data"))
                .hasMessage("MOLECULE_RUNTIME_JAR is required");
    }

    @Test
    void relative_paths_are_made_absolute_because_agents_run_elsewhere() {
        var config = read(
                "MOLECULE_BACKEND",
                "process",
                "MOLECULE_DATA",
                "data",
                "MOLECULE_RUNTIME_JAR",
                "runtime.jar",
                "MOLECULE_AGENT_LIFELINE",
                "lifeline");

        assertThat(config.process().data()).isAbsolute();
        assertThat(config.process().runtimeJar()).isAbsolute();
        assertThat(config.process().lifeline()).isAbsolute();
    }

    @Test
    void what_all_agents_get_is_judged_at_once() {
        assertThat(read().reconcile().agents()).isEqualTo(AgentDefaults.NONE);
        assertThat(read("AWARENESS_URL", "https://memory.example.com/v1", "WORKSPACE_DIR", "/srv/work")
                        .reconcile()
                        .agents())
                .isEqualTo(new AgentDefaults("https://memory.example.com/v1", "/srv/work"));
        for (String url : new String[] {"memory:9000", "ftp://memory", "http://", "not a url"}) {
            assertThatThrownBy(() -> read("AWARENESS_URL", url))
                    .hasMessage("AWARENESS_URL must be an http or https URL");
        }
        for (String folder : new String[] {"work", "/etc/x", "/srv/../etc"}) {
            assertThatThrownBy(() -> read("WORKSPACE_DIR", folder))
                    .hasMessage("WORKSPACE_DIR must be an absolute folder and none of the system's");
        }
    }

    @Test
    void for_which_machine_images_are_pulled_is_no_image_of_a_runtime() {
        var docker = read("MOLECULE_BACKEND", "docker", "MOLECULE_IMAGE_PLATFORM", "linux/arm64/v8")
                .docker();

        assertThat(docker.imagePlatform()).isEqualTo("linux/arm64/v8");
        assertThat(docker.images().of("platform")).isEqualTo("molecule/workspace-langgraph:0.1.0");
        assertThatThrownBy(() -> read("MOLECULE_BACKEND", "docker", "MOLECULE_IMAGE_PLATFORM", "amd64"))
                .hasMessage("MOLECULE_IMAGE_PLATFORM must be a system and an architecture, such as linux/amd64");
    }

    @Test
    void what_plugins_may_cost_can_be_said_as_a_person_writes_it() {
        var plugins = read("PLUGINS_DIR", "plugins", "MOLECULE_DATA", "/data").plugins();
        assertThat(plugins.registry()).isAbsolute();
        assertThat(plugins.staging()).hasToString("/data/plugin-staging");
        assertThat(plugins.fetchTimeout()).hasMinutes(5);
        assertThat(plugins.pluginMaxBytes()).isEqualTo(104_857_600);
        assertThat(plugins.bodyMaxBytes()).isEqualTo(65_536);
        assertThat(plugins.allowUnpinned()).isFalse();

        assertThat(read("PLUGIN_INSTALL_FETCH_TIMEOUT", "90").plugins().fetchTimeout())
                .hasSeconds(90);
        assertThat(read("PLUGIN_INSTALL_FETCH_TIMEOUT", "90s").plugins().fetchTimeout())
                .hasSeconds(90);
        assertThat(read("PLUGIN_ALLOW_UNPINNED", "true").plugins().allowUnpinned())
                .isTrue();
        assertThatThrownBy(() -> read("PLUGIN_INSTALL_FETCH_TIMEOUT", "soon"))
                .hasMessage("PLUGIN_INSTALL_FETCH_TIMEOUT must be a time of at most 1h, such as 300s or 5m");
    }

    @Test
    void agents_listen_within_the_range_that_is_set() {
        var ports = read(false, "MOLECULE_AGENT_PORTS", "24000-24009").ports();

        assertThat(ports.first()).isEqualTo(24_000);
        assertThat(ports.last()).isEqualTo(24_009);
        assertThat(read(false).ports()).isSameAs(FreePorts.AGENTS);
        for (String wrong :
                List.of("24000", "24009-24000", "24000-24008", "900-2000", "30000-32768", "24000-99999", "a-b")) {
            assertThatThrownBy(() -> read(false, "MOLECULE_AGENT_PORTS", wrong))
                    .hasMessage(
                            "MOLECULE_AGENT_PORTS must be a range of at least 10 ports from 1024 to 32767, such as 24000-24999");
        }
    }

    @Test
    void in_production_process_agents_are_users_of_their_own_or_somebody_vouches_for_them() {
        String[] production = {
            "MOLECULE_ENV", "production", "ADMIN_TOKEN", "t", "SECRETS_ENCRYPTION_KEY", "k",
            "MOLECULE_BACKEND", "process", "MOLECULE_DATA", "/data", "MOLECULE_RUNTIME_JAR", "/r.jar"
        };

        assertThat(read(true, production).process().firstUid()).isEqualTo(2_000_000_000);
        assertThat(read(true, and(production, "MOLECULE_AGENT_UIDS", "300000"))
                        .process()
                        .firstUid())
                .isEqualTo(300_000);
        assertThatThrownBy(() -> read(false, production))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("in production agents are users of their own")
                .hasMessageContaining("--trust-agents");
        assertThat(read(false, and(production, "MOLECULE_TRUST_AGENTS", "1"))
                        .process()
                        .firstUid())
                .isNull();
        assertThat(read(true, and(production, "MOLECULE_TRUST_AGENTS", "1"))
                        .process()
                        .firstUid())
                .isNull();
        assertThat(read(false, and(production, "MOLECULE_BACKEND", "docker"))
                        .process()
                        .firstUid())
                .isNull();
        assertThat(read(false, and(production, "MOLECULE_ENV", "development"))
                        .process()
                        .firstUid())
                .isNull();
        assertThatThrownBy(() -> read(false, and(production, "MOLECULE_AGENT_UIDS", "300000")))
                .hasMessage("MOLECULE_AGENT_UIDS needs root");
    }

    @Test
    void across_machines_agents_listen_where_services_of_others_reach_them_or_nothing_starts() {
        String secret = "0123456789abcdef0123456789abcdef";
        var certificate = certificate();
        String[] cluster = {
            "MOLECULE_CLUSTER",
            "tcp",
            "MOLECULE_CLUSTER_MEMBERS",
            "10.77.0.1,10.77.0.2",
            "MOLECULE_CLUSTER_HOST",
            "10.77.0.1",
            "MOLECULE_CLUSTER_NAME",
            secret,
            "MOLECULE_CLUSTER_CERTIFICATE",
            certificate.chain(),
            "MOLECULE_CLUSTER_KEY",
            certificate.key(),
            "MOLECULE_CLUSTER_CA",
            certificate.authorities(),
            "MOLECULE_BACKEND",
            "process",
            "MOLECULE_DATA",
            "/data",
            "MOLECULE_RUNTIME_JAR",
            "/r.jar"
        };

        assertThatThrownBy(() -> read(cluster)).hasMessageContaining("set MOLECULE_AGENT_HOST");
        assertThat(read(and(cluster, "MOLECULE_AGENT_HOST", "10.77.0.1"))
                        .process()
                        .agentHost())
                .isEqualTo("10.77.0.1");
        assertThat(read(and(cluster, "MOLECULE_CLUSTER_HOST", "127.0.0.1"))
                        .process()
                        .agentHost())
                .isEqualTo("127.0.0.1");
        for (String none : List.of("0.0.0.0", "http://10.77.0.1", "::")) {
            assertThatThrownBy(() -> read(and(cluster, "MOLECULE_AGENT_HOST", none)))
                    .hasMessageContaining("MOLECULE_AGENT_HOST must be one address");
        }
        String[] docker = and(cluster, "MOLECULE_BACKEND", "docker");
        assertThatThrownBy(() -> read(docker)).hasMessageContaining("MOLECULE_DOCKER_DIAL=network");
        assertThat(read(and(docker, "MOLECULE_DOCKER_DIAL", "network")).docker().inNetwork())
                .isTrue();
    }

    private ClusterCertificate certificate() {
        try {
            return NewCertificate.make(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String[] and(String[] variables, String... more) {
        return Stream.concat(Arrays.stream(variables), Arrays.stream(more)).toArray(String[]::new);
    }

    private static ProvisionerConfig read(String... variables) {
        return read("root".equals(System.getProperty("user.name")), variables);
    }

    private static ProvisionerConfig read(boolean root, String... variables) {
        Map<String, String> env = new HashMap<>(Map.of("DATABASE_URL", "postgresql://a:b@127.0.0.1/c"));
        for (int i = 0; i < variables.length; i += 2) {
            env.put(variables[i], variables[i + 1]);
        }
        return ProvisionerConfig.fromEnv(env, root);
    }
}
