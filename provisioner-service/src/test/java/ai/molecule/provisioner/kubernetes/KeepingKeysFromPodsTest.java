package ai.molecule.provisioner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.provisioner.backend.AgentDefaults;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.ProvidersKeys;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an agent's pod has within reach, whatever runs in it: its own volume, its own secret, and nothing of the platform or of others. */
@EnableKubernetesMockClient(crud = true, https = false)
class KeepingKeysFromPodsTest {

    private static final String NAMESPACE = "molecule-agents";

    @SuppressWarnings("NullAway.Init") // by its extension
    KubernetesClient client;

    private final UUID id = UUID.randomUUID();
    private final Vertx vertx = Vertx.vertx();

    @SuppressWarnings("NullAway.Init")
    private Pod pod;

    @BeforeEach
    void start() {
        var secrets = Map.of("OPENAI_API_KEY", "sk-secret");
        new KubernetesBackend(vertx, client, Pods.settings())
                .start(new Launch(Pods.workspace(id, null), 20_001, "the-token", secrets))
                .await();
        pod = client.pods()
                .inNamespace(NAMESPACE)
                .withLabel("molecule.ai/id", id.toString())
                .list()
                .getItems()
                .getFirst();
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void it_mounts_its_own_volume_and_secret_and_nothing_of_the_machine() {
        String own = new PodNames(id).name();
        for (var volume : pod.getSpec().getVolumes()) {
            var claim = volume.getPersistentVolumeClaim();
            var secret = volume.getSecret();
            assertThat(claim != null && claim.getClaimName().equals(own)
                            || secret != null && secret.getSecretName().equals(own)
                            || volume.getConfigMap() != null
                                    && volume.getConfigMap().getName().startsWith(own)
                            || volume.getEmptyDir() != null)
                    .as("%s", volume)
                    .isTrue();
        }
        assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
        assertThat(pod.getSpec().getHostNetwork()).isNull();
        assertThat(pod.getSpec().getHostPID()).isNull();
        assertThat(pod.getSpec().getHostIPC()).isNull();
        assertThat(pod.getSpec().getSecurityContext().getRunAsNonRoot()).isTrue();
    }

    @Test
    void its_variables_name_no_secret_but_its_own_and_none_of_the_platforms() {
        var variables = containers().stream()
                .peek(container -> assertThat(container.getEnvFrom()).isEmpty())
                .flatMap(container -> container.getEnv().stream())
                .toList();

        assertThat(variables)
                .extracting(EnvVar::getName)
                .contains("OPENAI_API_KEY")
                .doesNotContain(
                        "ADMIN_TOKEN",
                        "SECRETS_ENCRYPTION_KEY",
                        "DATABASE_URL",
                        "REDIS_URL",
                        "MOLECULE_EDGE_SECRET",
                        "MOLECULE_CLUSTER_KEY");
        assertThat(variables.stream().map(EnvVar::getValueFrom).filter(Objects::nonNull))
                .allSatisfy(
                        source -> assertThat(source.getSecretKeyRef().getName()).isEqualTo(new PodNames(id).name()));
        var secret = client.secrets()
                .inNamespace(NAMESPACE)
                .withName(new PodNames(id).name())
                .get();
        assertThat(secret.getMetadata().getLabels()).containsEntry("molecule.ai/id", id.toString());
    }

    @Test
    void no_providers_key_is_in_anything_that_the_cluster_is_told() {
        var other = UUID.randomUUID();
        var launch = AgentDefaults.NONE.launch(
                Pods.workspace(other, null), 20_002, "the-token", ProvidersKeys.given("real-key-of-a-provider"));

        new KubernetesBackend(vertx, client, Pods.settings()).start(launch).await();

        var told = new StringBuilder();
        for (var kind :
                List.of(client.pods(), client.secrets(), client.configMaps(), client.persistentVolumeClaims())) {
            kind.inNamespace(NAMESPACE)
                    .list()
                    .getItems()
                    .forEach(item ->
                            told.append(client.getKubernetesSerialization().asJson(item)));
        }
        client.secrets().inNamespace(NAMESPACE).list().getItems().stream()
                .map(Secret::getData)
                .filter(Objects::nonNull)
                .flatMap(data -> data.values().stream())
                .forEach(value -> told.append(new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
        assertThat(told)
                .contains(new PodNames(other).name(), ModelKey.of("the-token"))
                .doesNotContain("real-key-of-a-provider");
    }

    private List<Container> containers() {
        var all = new ArrayList<>(pod.getSpec().getContainers());
        all.addAll(pod.getSpec().getInitContainers());
        return all;
    }
}
