package ai.molecule.provisioner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.backend.Launch;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A quarantined agent's pod is off the network from the moment it is labelled until it is gone. */
@EnableKubernetesMockClient(crud = true, https = false)
class CuttingOffPodsTest {

    private static final UUID SUSPECT = UUID.fromString("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee");
    private static final UUID ALIKE = UUID.fromString("aaaaaaaa-bbb0-4000-8000-000000000000");

    @SuppressWarnings("NullAway.Init") // by its extension
    KubernetesClient client;

    private final Vertx vertx = Vertx.vertx();

    @SuppressWarnings("NullAway.Init")
    private KubernetesBackend backend;

    @BeforeEach
    void start() {
        backend = new KubernetesBackend(vertx, client, Pods.settings());
        startAgent();
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void the_label_is_put_on_the_live_pod_and_stays_when_it_is_placed() {
        String uid = pod().getMetadata().getUid();

        backend.cutOff(SUSPECT).await();
        backend.cutOff(SUSPECT).await();
        backend.place(Map.of(SUSPECT, Optional.of(UUID.randomUUID()))).await();

        assertThat(pod().getMetadata().getUid()).isEqualTo(uid);
        assertThat(pod().getMetadata().getLabels())
                .containsEntry("molecule.ai/quarantined", "true")
                .containsEntry("molecule.ai/managed", "true")
                .containsEntry("molecule.ai/id", SUSPECT.toString());
        assertThat(backend.findAll().await()).containsOnlyKeys(SUSPECT);
    }

    @Test
    void another_workspaces_pod_of_that_name_is_left_alone_and_none_is_no_failure() {
        backend.cutOff(ALIKE).await();
        backend.cutOff(UUID.randomUUID()).await();

        assertThat(pod().getMetadata().getLabels()).doesNotContainKey("molecule.ai/quarantined");
    }

    @Test
    void once_released_its_next_pod_is_like_any_other() {
        backend.cutOff(SUSPECT).await();

        startAgent();

        assertThat(pod().getMetadata().getLabels()).doesNotContainKey("molecule.ai/quarantined");
    }

    private void startAgent() {
        backend.start(new Launch(Pods.workspace(SUSPECT, null), 20_001, "token", Map.of()))
                .await();
    }

    private Pod pod() {
        return client.pods()
                .inNamespace("molecule-agents")
                .withName("ws-aaaaaaaa-bbb")
                .require();
    }
}
