package ai.molecule.provisioner.kubernetes;

import static java.util.stream.Collectors.toSet;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.LogTail;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agents as bare pods. Two of one identity cannot be: they would have one name. The client blocks, so every call runs on a worker
 * thread; each waits as long as the client's own time-outs let it, and a stop besides for the agent's grace.
 */
public final class KubernetesBackend implements Backend {

    /** What a pod may take to vanish beyond its grace before it is removed by force. */
    private static final Duration REMOVAL_MAX = Duration.ofSeconds(20);

    private static final int KEPT_MAX = 10_000;
    private static final int NOT_FOUND = 404;
    /** The API server counts from the first of the lines asked for, so a narrow bound would cut off the last. */
    private static final int LOG_MAX_BYTES = 256 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(KubernetesBackend.class);

    private final Vertx vertx;
    private final KubernetesClient client;
    private final KubernetesSettings settings;
    private final Manifests manifests;
    private final PodEnds ends;
    private final PodShell shell;
    private final KubernetesFiles files;

    /** @param client is closed with the process, not by us */
    public KubernetesBackend(Vertx vertx, KubernetesClient client, KubernetesSettings settings) {
        this.vertx = vertx;
        this.client = client;
        this.settings = settings;
        this.manifests = new Manifests(settings);
        this.ends = new PodEnds(client, settings.namespace());
        this.shell = new PodShell(client, settings, manifests);
        this.files = new KubernetesFiles(vertx, shell, settings.uid());
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Future<Void> ping() {
        return blocking(client::getKubernetesVersion).mapEmpty();
    }

    /** Whether an image exists, the cluster finds out. */
    @Override
    public Optional<StartRefused> refusal(String runtime) {
        return Optional.empty();
    }

    /** Of the workspace's service; every pod has an address of its own. */
    @Override
    public Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken) {
        return blocking(() -> FreePorts.AGENTS.choose(last, taken));
    }

    @Override
    public String url(UUID workspaceId, int port) {
        return "http://%s.%s.svc:%d".formatted(new PodNames(workspaceId).name(), settings.namespace(), port);
    }

    @Override
    public WorkspaceFiles files() {
        return files;
    }

    @Override
    public Future<AgentProcess> start(Launch launch) {
        return blocking(() -> create(launch)).recover(failure -> Future.failedFuture(refusalOf(launch, failure)));
    }

    private AgentProcess create(Launch launch) {
        if (launch.workspace().worksInLentFolder()) {
            throw new StartRefused(
                    "workspace_dir cannot be lent by the kubernetes backend: a pod has no folder of a machine;"
                            + " use workspace_access none");
        }
        var names = new PodNames(launch.workspace().id());
        var namespace = settings.namespace();
        Ensure.exists(client, namespace, Fences.amongRoots());
        Fences.of(names).forEach(fence -> Ensure.exists(client, namespace, fence));
        Ensure.exists(client, namespace, manifests.claim(names));
        Ensure.isAsWanted(client, namespace, manifests.secret(names, launch));
        Ensure.isAsWanted(client, namespace, manifests.service(names, launch.port()));
        shell.close(names); // its volume may be attached to one pod's node only
        remove(pod(names.name()));
        return PodId.processOf(client.resource(manifests.agent(names, launch))
                .inNamespace(namespace)
                .create());
    }

    @Override
    public Future<Void> stop(AgentProcess process) {
        var id = PodId.of(process);
        return blocking(() -> {
            var pod = pod(id.name());
            if (isStill(pod.get(), id)) {
                remove(pod);
            }
            return null;
        });
    }

    @Override
    public Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded) {
        return blocking(() -> Optional.ofNullable(
                        pod(new PodNames(workspaceId).name()).get())
                .filter(pod -> recorded == null || isStill(pod, PodId.of(recorded)))
                .filter(pod -> !Phases.ended(pod))
                .map(PodId::processOf));
    }

    @Override
    public Future<Map<UUID, AgentProcess>> findAll() {
        return blocking(() -> {
            Map<UUID, AgentProcess> found = new HashMap<>();
            for (var pod : agents()) {
                if (!Phases.ended(pod)) {
                    found.put(workspaceOf(pod), PodId.processOf(pod));
                }
            }
            return found;
        });
    }

    /** Whose volume is still there. */
    @Override
    public Future<Set<UUID>> findKept() {
        return blocking(() -> client
                .persistentVolumeClaims()
                .inNamespace(settings.namespace())
                .withLabel(PodNames.MANAGED, "true")
                .list()
                .getItems()
                .stream()
                .limit(KEPT_MAX)
                .map(KubernetesBackend::workspaceOf)
                .collect(toSet()));
    }

    /** Changes the one label by which the policies know who stands where; a pod whose label is right already is left alone. */
    @Override
    public Future<Void> place(Map<UUID, Optional<UUID>> parents) {
        return blocking(() -> {
            for (var pod : agents()) {
                var parent = parents.get(workspaceOf(pod));
                if (parent != null) {
                    label(pod, PodNames.parentOf(parent.orElse(null)));
                }
            }
            return null;
        });
    }

    private void label(Pod pod, String parent) {
        var metadata = pod.getMetadata();
        if (!parent.equals(metadata.getLabels().get(PodNames.PARENT))) {
            pod(metadata.getName())
                    .edit(latest -> latest.edit()
                            .editMetadata()
                            .addToLabels(PodNames.PARENT, parent)
                            .endMetadata()
                            .build());
        }
    }

    @Override
    public Future<Void> exitOf(AgentProcess process) {
        return blocking(() -> ends.of(PodId.of(process))).compose(end -> end);
    }

    @Override
    public Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process) {
        return blocking(() -> {
            var pod = pod(new PodNames(workspaceId).name()).get();
            boolean itsOwn = process == null || isStill(pod, PodId.of(process));
            return pod == null || !itsOwn ? "removed by someone else" : Phases.end(pod, log(workspaceId));
        });
    }

    /** The cluster's own rotation bounds the whole; what we take of it is bounded here. */
    @Override
    public Future<String> logTail(UUID workspaceId) {
        return blocking(() -> log(workspaceId));
    }

    /** Empty when nothing is kept of it. */
    private String log(UUID workspaceId) {
        try {
            var log = pod(new PodNames(workspaceId).name())
                    .inContainer(Manifests.AGENT)
                    .limitBytes(LOG_MAX_BYTES)
                    .tailingLines(LogTail.LINES_MAX)
                    .getLog();
            return log == null ? "" : LogTail.of(log.getBytes(StandardCharsets.UTF_8), false);
        } catch (KubernetesClientException gone) {
            if (gone.getCode() != NOT_FOUND) {
                throw gone;
            }
            return "";
        }
    }

    /** The kubelet does. */
    @Override
    public Future<Void> trimLog(UUID workspaceId) {
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> delete(UUID workspaceId) {
        var names = new PodNames(workspaceId);
        return blocking(() -> {
            shell.close(names);
            remove(pod(names.name()));
            var namespace = settings.namespace();
            client.services().inNamespace(namespace).withName(names.name()).delete();
            client.secrets().inNamespace(namespace).withName(names.name()).delete();
            client.persistentVolumeClaims()
                    .inNamespace(namespace)
                    .withName(names.name())
                    .delete();
            Fences.of(names)
                    .forEach(fence ->
                            client.resource(fence).inNamespace(namespace).delete());
            return null;
        });
    }

    /** Politely, then by force; completes when the pod is gone. */
    private void remove(PodResource pod) {
        if (pod.get() == null) {
            return;
        }
        pod.withGracePeriod(settings.stopGrace().toSeconds()).delete();
        var patience = settings.stopGrace().plus(REMOVAL_MAX);
        try {
            pod.waitUntilCondition(gone -> gone == null, patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (KubernetesClientException still) {
            LOGGER.atWarn().setCause(still).log("a pod did not go within its time, removing it by force");
            pod.withGracePeriod(0).delete();
            pod.waitUntilCondition(gone -> gone == null, REMOVAL_MAX.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private PodResource pod(String name) {
        return client.pods().inNamespace(settings.namespace()).withName(name);
    }

    private List<Pod> agents() {
        return client.pods()
                .inNamespace(settings.namespace())
                .withLabel(PodNames.MANAGED, "true")
                .list()
                .getItems();
    }

    private static UUID workspaceOf(HasMetadata ours) {
        return UUID.fromString(ours.getMetadata().getLabels().get(PodNames.ID));
    }

    private static boolean isStill(@Nullable Pod pod, PodId id) {
        return pod != null && pod.getMetadata().getUid().equals(id.uid());
    }

    private static Throwable refusalOf(Launch launch, Throwable failure) {
        if (failure instanceof StartRefused || !(failure instanceof KubernetesClientException refused)) {
            return failure;
        }
        LOGGER.atError()
                .setCause(failure)
                .addKeyValue("workspaceId", launch.workspace().id())
                .log("agent could not be started");
        var status = refused.getStatus();
        return new StartRefused(
                status == null || status.getMessage() == null
                        ? "workspace start failed: the Kubernetes API server cannot be reached"
                        : "workspace start failed: the cluster refused it: " + status.getMessage());
    }

    private <T extends @Nullable Object> Future<T> blocking(Callable<T> call) {
        return vertx.executeBlocking(call, false);
    }
}
