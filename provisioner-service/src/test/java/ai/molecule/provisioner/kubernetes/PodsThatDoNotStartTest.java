package ai.molecule.provisioner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.backend.StartRefused;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.EventListBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts that the cluster refuses, puts off, or takes and does not carry out: which of these it is, and why. */
@EnableKubernetesMockClient(crud = true, https = false)
class PodsThatDoNotStartTest {

    private static final String NAMESPACE = "molecule-agents";

    @SuppressWarnings("NullAway.Init") // by its extension
    KubernetesMockServer server;

    @SuppressWarnings("NullAway.Init")
    KubernetesClient client;

    private final UUID id = UUID.randomUUID();
    private final Vertx vertx = Vertx.vertx();

    @SuppressWarnings("NullAway.Init")
    private KubernetesBackend backend;

    @BeforeEach
    void open() {
        backend = new KubernetesBackend(vertx, client, Pods.settings());
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void what_the_cluster_refuses_is_a_refused_start() {
        server.expect()
                .post()
                .withPath("/api/v1/namespaces/molecule-agents/pods")
                .andReturn(
                        403,
                        new StatusBuilder()
                                .withCode(403)
                                .withMessage("exceeded quota: pods=50")
                                .build())
                .always();

        assertThatThrownBy(() -> start())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace start failed: the cluster refused it: exceeded quota: pods=50");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 429, 500, 503})
    void what_may_be_over_in_a_moment_is_tried_again(int status) {
        server.expect()
                .post()
                .withPath("/api/v1/namespaces/molecule-agents/pods")
                .andReturn(
                        status,
                        new StatusBuilder()
                                .withCode(status)
                                .withMessage("not now")
                                .build())
                .always();
        backend = new KubernetesBackend(vertx, KubernetesClients.open(client.getConfiguration()), Pods.settings());

        assertThatThrownBy(() -> start())
                .isInstanceOf(StartDelayed.class)
                .hasMessage("workspace start failed: the cluster does not start it now: not now");
    }

    @Test
    void why_a_pod_does_not_come_to_life_is_said() {
        start();
        assertThat(backend.obstacle(id).await()).isEmpty();

        status(new PodStatusBuilder()
                .withPhase("Pending")
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason("Unschedulable")
                .withMessage("0/3 nodes are available: 3 Insufficient memory.")
                .endCondition()
                .build());
        assertThat(backend.obstacle(id).await())
                .contains("Unschedulable: 0/3 nodes are available: 3 Insufficient memory.");

        status(new PodStatusBuilder()
                .withPhase("Pending")
                .addNewContainerStatus()
                .withName("agent")
                .withNewState()
                .withNewWaiting()
                .withReason("ImagePullBackOff")
                .withMessage("Back-off pulling image \"registry.example.com/a:1\"")
                .endWaiting()
                .endState()
                .endContainerStatus()
                .build());
        assertThat(backend.obstacle(id).await())
                .contains("ImagePullBackOff: Back-off pulling image \"registry.example.com/a:1\"");
        assertThat(backend.obstacle(UUID.randomUUID()).await()).isEmpty();
    }

    @Test
    void what_the_cluster_warns_of_last_is_said_while_nothing_else_is() {
        start();
        status(new PodStatusBuilder()
                .withPhase("Pending")
                .addNewContainerStatus()
                .withName("agent")
                .withNewState()
                .withNewWaiting()
                .withReason("ContainerCreating")
                .endWaiting()
                .endState()
                .endContainerStatus()
                .build());
        assertThat(backend.obstacle(id).await()).isEmpty();

        String uid = client.pods()
                .inNamespace(NAMESPACE)
                .withName(name())
                .require()
                .getMetadata()
                .getUid();
        server.expect()
                .get()
                .withPath("/api/v1/namespaces/molecule-agents/events?fieldSelector=involvedObject.uid%3D" + uid
                        + "&limit=100")
                .andReturn(
                        200,
                        new EventListBuilder()
                                .withItems(
                                        event("Warning", uid, "FailedAttachVolume", "2026-01-01T00:00:00Z"),
                                        event("Warning", uid, "FailedMount", "2026-01-01T00:01:00Z"),
                                        event("Normal", uid, "Pulled", "2026-01-01T00:02:00Z"))
                                .build())
                .always();

        assertThat(backend.obstacle(id).await()).contains("FailedMount: as the kubelet says");
    }

    private static Event event(String type, String uid, String reason, String at) {
        return new EventBuilder()
                .withType(type)
                .withReason(reason)
                .withMessage("as the kubelet says")
                .withLastTimestamp(at)
                .withNewInvolvedObject()
                .withUid(uid)
                .endInvolvedObject()
                .build();
    }

    private void status(PodStatus status) {
        client.pods()
                .inNamespace(NAMESPACE)
                .withName(name())
                .editStatus(pod -> pod.edit().withStatus(status).build());
    }

    @Test
    void an_unreachable_cluster_concludes_nothing_and_starts_nothing() {
        backend = new KubernetesBackend(vertx, KubernetesClients.open(client.getConfiguration()), Pods.settings());
        server.shutdown();

        assertThatThrownBy(() -> backend.ping().await()).isNotInstanceOf(StartRefused.class);
        assertThatThrownBy(() -> backend.findAlive(id, null).await()).isNotInstanceOf(StartRefused.class);
        assertThatThrownBy(() -> start()).isInstanceOf(StartDelayed.class).hasMessageContaining("cannot be reached");
    }

    private void start() {
        backend.start(new Launch(Pods.workspace(id, null), 20_001, "token", Map.of()))
                .await();
    }

    private String name() {
        return new PodNames(id).name();
    }
}
