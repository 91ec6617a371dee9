package ai.molecule.provisioner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names end after 12 characters of an id, and whoever registers chooses an id: a stranger's begins like the victim's. */
@EnableKubernetesMockClient(crud = true, https = false)
class SharingANameTest {

    private static final String NAMESPACE = "molecule-agents";
    private static final UUID VICTIM = UUID.fromString("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee");
    private static final UUID STRANGER = UUID.fromString("aaaaaaaa-bbb0-4000-8000-000000000000");
    private static final String NAME = "ws-aaaaaaaa-bbb";

    @SuppressWarnings("NullAway.Init") // by its extension
    KubernetesMockServer server;

    @SuppressWarnings("NullAway.Init")
    KubernetesClient client;

    private final Vertx vertx = Vertx.vertx();

    @SuppressWarnings("NullAway.Init")
    private KubernetesBackend backend;

    @BeforeEach
    void a_victim_runs() {
        backend = new KubernetesBackend(vertx, client, Pods.settings());
        backend.start(launch(VICTIM)).await();
        phase("Running");
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void files_of_the_stranger_are_not_looked_for_in_the_victims_pod() throws Exception {
        var files = backend.files();
        var path = FilePath.of("config.yaml");

        assertConflict(() -> files.read(STRANGER, Root.CONFIGS, path).await());
        assertConflict(() -> files.open(STRANGER, Root.CONFIGS, path).await());
        assertConflict(
                () -> files.list(STRANGER, Root.CONFIGS, FilePath.ROOT, 1).await());
        assertConflict(() -> files.delete(STRANGER, Root.CONFIGS, path).await());
        assertConflict(() -> files.write(STRANGER, Root.CONFIGS, Map.of(path, Buffer.buffer("runtime: codex")))
                .await());

        assertThat(asked()).noneMatch(request -> request.contains("/exec"));
    }

    @Test
    void nor_is_the_victims_volume_mounted_while_its_agent_stands_still() {
        client.pods().inNamespace(NAMESPACE).withName(NAME).delete();

        assertConflict(() -> backend.files()
                .read(STRANGER, Root.CONFIGS, FilePath.of("config.yaml"))
                .await());

        assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).isEmpty();
    }

    @Test
    void nor_is_the_pod_used_that_was_started_for_the_victims_files() {
        client.pods().inNamespace(NAMESPACE).withName(NAME).delete();
        var opened = new Manifests(Pods.settings()).files(new PodNames(VICTIM));
        client.resource(opened).inNamespace(NAMESPACE).create();

        assertConflict(() -> backend.files()
                .read(STRANGER, Root.CONFIGS, FilePath.of("config.yaml"))
                .await());

        assertThat(client.pods()
                        .inNamespace(NAMESPACE)
                        .withName(NAME + "-files")
                        .get())
                .isNotNull();
    }

    @Test
    void a_start_of_the_stranger_is_refused_and_changes_nothing_of_the_victims() {
        var before = everything();

        assertThatThrownBy(() -> backend.start(launch(STRANGER)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("that is not this workspace's");

        assertThat(everything()).isEqualTo(before);
    }

    /** Whichever of the objects stands in the way. */
    @Test
    void a_claim_alone_refuses_too() {
        backend.delete(VICTIM).await();
        client.resource(new PersistentVolumeClaimBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .withLabels(new PodNames(VICTIM).labels())
                        .endMetadata()
                        .build())
                .inNamespace(NAMESPACE)
                .create();

        assertThatThrownBy(() -> backend.start(launch(STRANGER)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace start failed: there is a PersistentVolumeClaim " + NAME
                        + " that is not this workspace's");

        assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).isEmpty();
    }

    @Test
    void the_stranger_is_not_found_alive_and_has_no_log() {
        assertThat(backend.findAlive(STRANGER, null).await()).isEmpty();
        assertThat(backend.logTail(STRANGER).await()).isEmpty();
        assertThat(backend.describeExit(STRANGER, null).await()).isEqualTo("removed by someone else");
        assertThat(backend.findAll().await()).containsOnlyKeys(VICTIM);
    }

    @Test
    void deleting_the_stranger_leaves_the_victim_whole() {
        var before = everything();

        backend.delete(STRANGER).await();

        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void placing_the_stranger_moves_no_pod() {
        var before = everything();

        backend.place(Map.of(STRANGER, Optional.of(UUID.randomUUID()))).await();

        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void what_is_marked_as_ours_and_says_not_whose_keeps_nobody_from_being_found() {
        for (Map<String, String> labels :
                List.of(Map.of(PodNames.MANAGED, "true"), Map.of(PodNames.MANAGED, "true", PodNames.ID, "no-id"))) {
            client.resource(new PodBuilder()
                            .withNewMetadata()
                            .withGenerateName("odd-")
                            .withLabels(labels)
                            .endMetadata()
                            .build())
                    .inNamespace(NAMESPACE)
                    .create();
            client.resource(new PersistentVolumeClaimBuilder()
                            .withNewMetadata()
                            .withGenerateName("odd-")
                            .withLabels(labels)
                            .endMetadata()
                            .build())
                    .inNamespace(NAMESPACE)
                    .create();
        }

        assertThat(backend.findAll().await()).containsOnlyKeys(VICTIM);
        assertThat(backend.findKept().await()).containsExactly(VICTIM);
        backend.place(Map.of(VICTIM, Optional.empty())).await();
    }

    private static void assertConflict(Runnable tried) {
        assertThatThrownBy(tried::run)
                .isInstanceOfSatisfying(
                        ApiError.class, refused -> assertThat(refused.kind()).isEqualTo(ApiError.Kind.CONFLICT));
    }

    private static Launch launch(UUID id) {
        return new Launch(Pods.workspace(id, null), 20_001, "the-token", Map.of("KEY", "of " + id));
    }

    private void phase(String phase) {
        client.pods()
                .inNamespace(NAMESPACE)
                .withName(NAME)
                .editStatus(pod ->
                        pod.edit().withNewStatus().withPhase(phase).endStatus().build());
    }

    /** Every object of the namespace with all that can change. */
    private Map<String, HasMetadata> everything() {
        Map<String, HasMetadata> all = new HashMap<>();
        Stream.<List<? extends HasMetadata>>of(
                        client.pods().inNamespace(NAMESPACE).list().getItems(),
                        client.services().inNamespace(NAMESPACE).list().getItems(),
                        client.secrets().inNamespace(NAMESPACE).list().getItems(),
                        client.persistentVolumeClaims()
                                .inNamespace(NAMESPACE)
                                .list()
                                .getItems(),
                        client.network()
                                .networkPolicies()
                                .inNamespace(NAMESPACE)
                                .list()
                                .getItems())
                .flatMap(List::stream)
                .forEach(each ->
                        all.put(each.getKind() + " " + each.getMetadata().getName(), each));
        return all;
    }

    private List<String> asked() throws InterruptedException {
        Stream.Builder<String> paths = Stream.builder();
        for (var request = server.takeRequest(0, TimeUnit.MILLISECONDS);
                request != null;
                request = server.takeRequest(0, TimeUnit.MILLISECONDS)) {
            paths.add(request.getPath());
        }
        return paths.build().toList();
    }
}
