package ai.molecule.provisioner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true, https = false)
class RunningPodsTest {

    private static final String NAMESPACE = "molecule-agents";
    private static final int PORT = 20_001;

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
    void a_start_makes_a_pod_with_a_volume_a_service_and_a_secret() {
        var process = start(null);

        var pod = pod();
        assertThat(process.id())
                .isEqualTo(pod.getMetadata().getName() + "/" + pod.getMetadata().getUid());
        assertThat(client.persistentVolumeClaims()
                        .inNamespace(NAMESPACE)
                        .withName(name())
                        .get())
                .isNotNull();
        var service =
                client.services().inNamespace(NAMESPACE).withName(name()).get().getSpec();
        assertThat(service.getPorts().getFirst().getPort()).isEqualTo(PORT);
        assertThat(service.getPorts().getFirst().getTargetPort().getIntVal()).isEqualTo(8000);
        assertThat(service.getSelector()).isEqualTo(Map.of("molecule.ai/id", id.toString()));
        assertThat(backend.url(id, PORT)).isEqualTo("http://%s.molecule-agents.svc:20001".formatted(name()));
    }

    @Test
    void a_pod_has_no_privilege_and_no_service_account() {
        start(null);

        var spec = pod().getSpec();
        assertThat(spec.getAutomountServiceAccountToken()).isFalse();
        assertThat(spec.getRestartPolicy()).isEqualTo("Never");
        assertThat(spec.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(spec.getHostNetwork()).isNull();
        assertThat(spec.getHostPID()).isNull();
        var agent = spec.getContainers().getFirst();
        assertThat(agent.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
        assertThat(agent.getSecurityContext().getPrivileged()).isNull();
        assertThat(agent.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(agent.getResources().getLimits()).containsKeys("memory", "cpu");
    }

    @Test
    void an_image_without_a_registry_is_never_looked_for_on_a_public_one() {
        start(null);
        var unknown = pod().getSpec().getContainers().getFirst();
        assertThat(unknown.getImage()).isEqualTo("molecule/workspace-echo:0.1.0");
        assertThat(unknown.getImagePullPolicy()).isEqualTo("Never");

        backend = new KubernetesBackend(
                vertx,
                client,
                KubernetesSettings.fromEnv(new Env(Map.of(
                        "MOLECULE_STOP_SECONDS",
                        "1",
                        "MOLECULE_IMAGE_PREFIX",
                        "registry.example.com/agent-",
                        "MOLECULE_IMAGE_PULL_SECRETS",
                        "registry-login"))));
        start(null);

        var spec = pod().getSpec();
        assertThat(spec.getContainers().getFirst().getImage()).isEqualTo("registry.example.com/agent-echo:0.1.0");
        assertThat(spec.getContainers().getFirst().getImagePullPolicy()).isEqualTo("IfNotPresent");
        assertThat(spec.getImagePullSecrets())
                .extracting(LocalObjectReference::getName)
                .containsExactly("registry-login");
    }

    @Test
    void token_and_secrets_are_referred_to_and_never_in_the_pod() {
        start(null);

        assertThat(client.getKubernetesSerialization().asJson(pod()))
                .doesNotContain("the-token")
                .doesNotContain("sk-secret");
        var key = pod().getSpec().getContainers().getFirst().getEnv().stream()
                .filter(variable -> variable.getName().equals("OPENAI_API_KEY"))
                .map(EnvVar::getValueFrom)
                .findFirst()
                .orElseThrow();
        assertThat(key.getSecretKeyRef().getName()).isEqualTo(name());
    }

    @Test
    void the_memory_service_is_no_secret() {
        var launch = new Launch(Pods.workspace(id, null), PORT, "the-token", Map.of(), "http://memory:9000", null);

        backend.start(launch).await();

        assertThat(pod().getSpec().getContainers().getFirst().getEnv())
                .contains(
                        new EnvVar("AWARENESS_URL", "http://memory:9000", null),
                        new EnvVar("AWARENESS_NAMESPACE", "workspace:" + id, null));
    }

    @Test
    void a_folder_of_a_machine_cannot_be_lent_and_that_is_said() {
        var plain = Pods.workspace(id, null);
        assertThat(plain.withWorkspaceDir("/srv/work").worksInLentFolder()).isFalse(); // access none

        assertThatThrownBy(() -> backend.start(new Launch(Pods.lending(id, "/srv/work"), PORT, "the-token", Map.of()))
                        .await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace_dir cannot be lent by the kubernetes backend: a pod has no folder of a machine;"
                        + " use workspace_access none");
        assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).isEmpty();
    }

    @Test
    void a_second_start_replaces_the_pod_and_its_secret() {
        var first = start(null);

        var second = start(null);

        assertThat(second).isNotEqualTo(first);
        assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).hasSize(1);
        assertThat(backend.findAlive(id, first).await()).isEmpty();
        assertThat(backend.findAlive(id, null).await()).contains(second);
    }

    @Test
    void a_stopped_pod_is_gone_and_its_volume_stays() {
        var process = start(null);

        backend.stop(process).await();
        backend.stop(process).await(); // may be repeated

        assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).isEmpty();
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        assertThat(client.persistentVolumeClaims()
                        .inNamespace(NAMESPACE)
                        .withName(name())
                        .get())
                .isNotNull();
    }

    @Test
    void an_older_pod_is_not_stopped_in_place_of_the_one_that_runs() {
        var first = start(null);
        var second = start(null);

        backend.stop(first).await();

        assertThat(backend.findAlive(id, second).await()).contains(second);
    }

    @Test
    void the_end_of_a_pod_is_told_and_described() throws Exception {
        var process = start(null);
        var end = backend.exitOf(process).toCompletionStage().toCompletableFuture();
        assertThat(end).isNotDone();

        ended("Error", 137);

        end.get(60, TimeUnit.SECONDS);
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        assertThat(backend.describeExit(id, process).await()).isEqualTo("killed by SIGKILL");
    }

    @Test
    void too_little_memory_is_named() {
        var process = start(null);

        ended("OOMKilled", 137);

        assertThat(backend.describeExit(id, process).await()).isEqualTo("out of memory");
    }

    @Test
    void a_pod_removed_by_someone_else_is_told_and_named() throws Exception {
        var process = start(null);
        var end = backend.exitOf(process).toCompletionStage().toCompletableFuture();

        client.pods().inNamespace(NAMESPACE).withName(name()).delete();

        end.get(60, TimeUnit.SECONDS);
        assertThat(backend.describeExit(id, process).await()).isEqualTo("removed by someone else");
    }

    /** Neither what is nobody's nor what carries our mark and no id, or one that is none, ends the look at the others. */
    @Test
    void every_agent_is_found_and_nothing_else() {
        var process = start(null);
        for (Map<String, String> labels : List.of(
                Map.<String, String>of(),
                Map.of(PodNames.MANAGED, "true"),
                Map.of(PodNames.MANAGED, "true", PodNames.ID, "nobody"))) {
            var metadata = new ObjectMetaBuilder()
                    .withName("stranger-" + UUID.randomUUID())
                    .withLabels(labels)
                    .build();
            client.pods()
                    .inNamespace(NAMESPACE)
                    .resource(new PodBuilder().withMetadata(metadata).build())
                    .create();
            client.persistentVolumeClaims()
                    .inNamespace(NAMESPACE)
                    .resource(new PersistentVolumeClaimBuilder()
                            .withMetadata(metadata)
                            .build())
                    .create();
        }

        assertThat(backend.findAll().await()).isEqualTo(Map.of(id, process));
        assertThat(backend.findKept().await()).containsExactly(id);
    }

    @Test
    void a_root_of_a_tenant_is_labelled_by_it_and_fenced_with_its_own() {
        var scope = UUID.randomUUID();
        var root = WorkspaceBuilder.like(Pods.workspace(id, null))
                .tenant("acme", scope)
                .build();

        backend.start(new Launch(root, PORT, "the-token", Map.of())).await();

        assertThat(pod().getMetadata().getLabels())
                .containsEntry("molecule.ai/parent", scope.toString())
                .containsEntry("molecule.ai/tenant", "acme");
        var among = client.network()
                .networkPolicies()
                .inNamespace(NAMESPACE)
                .withName("molecule-among-roots-" + scope)
                .require()
                .getSpec();
        assertThat(among.getPodSelector().getMatchLabels()).isEqualTo(Map.of("molecule.ai/parent", scope.toString()));
        assertThat(PodNames.labelOf("a".repeat(64))).hasSize(36);
        assertThat(PodNames.labelOf("ends-")).hasSize(36);
    }

    @Test
    void a_move_relabels_the_pod_that_moved_and_touches_no_policy() {
        start(null);
        var policies =
                client.network().networkPolicies().inNamespace(NAMESPACE).list().getItems();
        var parent = UUID.randomUUID();

        backend.place(Map.of(id, Optional.of(parent))).await();

        assertThat(pod().getMetadata().getLabels()).containsEntry("molecule.ai/parent", parent.toString());
        assertThat(client.network()
                        .networkPolicies()
                        .inNamespace(NAMESPACE)
                        .list()
                        .getItems())
                .isEqualTo(policies);
    }

    @Test
    void a_deleted_workspace_leaves_nothing() {
        start(UUID.randomUUID());

        backend.delete(id).await();
        backend.delete(id).await();

        assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).isEmpty();
        assertThat(client.services().inNamespace(NAMESPACE).list().getItems()).isEmpty();
        assertThat(client.secrets().inNamespace(NAMESPACE).list().getItems()).isEmpty();
        assertThat(client.persistentVolumeClaims().inNamespace(NAMESPACE).list().getItems())
                .isEmpty();
        assertThat(client.network()
                        .networkPolicies()
                        .inNamespace(NAMESPACE)
                        .list()
                        .getItems())
                .extracting(policy -> policy.getMetadata().getName())
                .containsExactly("molecule-among-roots");
    }

    @Test
    void a_port_is_kept_and_never_doubled() {
        int port = backend.choosePort(null, Set.of()).await();

        assertThat(backend.choosePort(port, Set.of()).await()).isEqualTo(port);
        assertThat(backend.choosePort(port, Set.of(port)).await()).isNotEqualTo(port);
    }

    private AgentProcess start(@Nullable UUID parentId) {
        return backend.start(new Launch(
                        Pods.workspace(id, parentId), PORT, "the-token", Map.of("OPENAI_API_KEY", "sk-secret")))
                .await();
    }

    private String name() {
        return "ws-" + id.toString().substring(0, 12);
    }

    private Pod pod() {
        return client.pods().inNamespace(NAMESPACE).withName(name()).require();
    }

    /** As the kubelet reports it. */
    private void ended(String reason, int exitCode) {
        client.pods()
                .inNamespace(NAMESPACE)
                .withName(name())
                .editStatus(pod -> pod.edit()
                        .withNewStatus()
                        .withPhase("Failed")
                        .addNewContainerStatus()
                        .withName("agent")
                        .withNewState()
                        .withNewTerminated()
                        .withReason(reason)
                        .withExitCode(exitCode)
                        .endTerminated()
                        .endState()
                        .endContainerStatus()
                        .endStatus()
                        .build());
    }
}
