package ai.molecule.provisioner.kubernetes;

import static java.util.stream.Collectors.toSet;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agents as bare pods. Two of one identity cannot be: they would have one name. The client blocks, so every call runs on a worker
 * thread; each waits as long as the client's own time-outs let it, and a stop besides for the agent's grace.
 */
public final class KubernetesBackend implements Backend {

    private static final int KEPT_MAX = 10_000;
    private static final Logger LOGGER = LoggerFactory.getLogger(KubernetesBackend.class);

    private final Vertx vertx;
    private final KubernetesClient client;
    private final KubernetesSettings settings;
    private final Manifests manifests;
    private final AgentPods pods;
    private final PodEnds ends;
    private final PodShell shell;
    private final KubernetesFiles files;

    /** @param client is closed with the process, not by us */
    public KubernetesBackend(Vertx vertx, KubernetesClient client, KubernetesSettings settings) {
        this.vertx = vertx;
        this.client = client;
        this.settings = settings;
        this.manifests = new Manifests(settings);
        this.pods = new AgentPods(client, settings);
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
    public boolean laysInitialFiles() {
        return true;
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
        var scope = launch.workspace().tenantScope();
        if (scope != null) {
            Ensure.exists(client, namespace, Fences.amongRoots(scope));
        }
        Fences.of(names).forEach(fence -> Ensure.exists(client, namespace, fence));
        Ensure.exists(client, namespace, manifests.claim(names));
        Ensure.isAsWanted(client, namespace, manifests.secret(names, launch));
        Ensure.isAsWanted(client, namespace, manifests.service(names, launch.port()));
        if (launch.initial() != null) {
            Ensure.isAsWanted(client, namespace, manifests.initial(names, launch.initial()));
        }
        shell.close(names); // its volume may be attached to one pod's node only
        pods.remove(names);
        return PodId.processOf(client.resource(manifests.agent(names, launch))
                .inNamespace(namespace)
                .create());
    }

    @Override
    public Future<Void> stop(AgentProcess process) {
        var id = PodId.of(process);
        return blocking(() -> {
            if (isStill(pods.named(id.name()).get(), id)) {
                pods.remove(pods.named(id.name()));
            }
            return null;
        });
    }

    @Override
    public Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded) {
        return blocking(() -> pods.find(workspaceId)
                .filter(pod -> recorded == null || isStill(pod, PodId.of(recorded)))
                .filter(pod -> !Phases.ended(pod))
                .map(PodId::processOf));
    }

    @Override
    public Future<Map<UUID, AgentProcess>> findAll() {
        return blocking(() -> {
            Map<UUID, AgentProcess> found = new HashMap<>();
            pods.all().forEach((id, pod) -> {
                if (!Phases.ended(pod)) {
                    found.put(id, PodId.processOf(pod));
                }
            });
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
                .flatMap(claim -> AgentPods.workspaceOf(claim).stream())
                .collect(toSet()));
    }

    /** Changes the one label by which the policies know who stands where; a pod whose label is right already is left alone. */
    @Override
    public Future<Void> place(Map<UUID, Optional<UUID>> parents) {
        return blocking(() -> {
            pods.all().forEach((id, pod) -> {
                var parent = parents.get(id);
                if (parent != null) {
                    pods.label(pod, PodNames.PARENT, PodNames.parentOf(parent.orElse(null)));
                }
            });
            return null;
        });
    }

    /** By a label that the policies shipped for the namespace leave out; its pod's grace period is then nobody's chance. */
    @Override
    public Future<Void> cutOff(UUID workspaceId) {
        return blocking(() -> {
            pods.find(workspaceId).ifPresent(pod -> pods.label(pod, PodNames.QUARANTINED, "true"));
            return null;
        });
    }

    @Override
    public Future<Void> exitOf(AgentProcess process) {
        return blocking(() -> ends.of(PodId.of(process))).compose(end -> end);
    }

    @Override
    public Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process) {
        return blocking(() -> {
            var pod = pods.find(workspaceId).orElse(null);
            boolean itsOwn = process == null || isStill(pod, PodId.of(process));
            return pod == null || !itsOwn ? "removed by someone else" : Phases.end(pod, pods.log(workspaceId));
        });
    }

    @Override
    public Future<Optional<String>> obstacle(UUID workspaceId) {
        return blocking(() ->
                pods.find(workspaceId).flatMap(pod -> Phases.obstacle(pod).or(() -> pods.warning(pod))));
    }

    /** The API server and the nodes share the work. */
    @Override
    public int startsAtOnce() {
        return 8;
    }

    /** The cluster's own rotation bounds the whole; what we take of it is bounded here. */
    @Override
    public Future<String> logTail(UUID workspaceId) {
        return blocking(() -> pods.log(workspaceId));
    }

    /** The kubelet does. */
    @Override
    public Future<Void> trimLog(UUID workspaceId) {
        return Future.succeededFuture();
    }

    /** What has its name and is another workspace's stays. */
    @Override
    public Future<Void> delete(UUID workspaceId) {
        var names = new PodNames(workspaceId);
        return blocking(() -> {
            var namespace = settings.namespace();
            if (pods.find(workspaceId).isPresent()) {
                pods.remove(names);
            }
            Stream<Resource<? extends HasMetadata>> kept = Stream.of(
                    pods.named(names.filesPod()),
                    client.services().inNamespace(namespace).withName(names.name()),
                    client.secrets().inNamespace(namespace).withName(names.name()),
                    client.secrets().inNamespace(namespace).withName(names.initial()),
                    client.persistentVolumeClaims().inNamespace(namespace).withName(names.name()));
            var fences = Fences.of(names).stream()
                    .map(fence -> client.resource(fence).inNamespace(namespace));
            Stream.concat(kept, fences).forEach(there -> {
                var found = there.get();
                if (found != null && names.own(found)) {
                    there.delete();
                }
            });
            return null;
        });
    }

    private static boolean isStill(@Nullable Pod pod, PodId id) {
        return pod != null && pod.getMetadata().getUid().equals(id.uid());
    }

    private static Throwable refusalOf(Launch launch, Throwable failure) {
        if (failure instanceof ApiError anothers) {
            return new StartRefused("workspace start failed: " + anothers.publicMessage());
        }
        if (failure instanceof StartRefused || !(failure instanceof KubernetesClientException refused)) {
            return failure;
        }
        LOGGER.atWarn()
                .setCause(failure)
                .addKeyValue("workspaceId", launch.workspace().id())
                .log("agent could not be started");
        var status = refused.getStatus();
        boolean answered = status != null && status.getMessage() != null;
        return isFinal(refused.getCode())
                ? new StartRefused("workspace start failed: the cluster refused it: "
                        + (answered ? status.getMessage() : "status " + refused.getCode()))
                : new StartDelayed(
                        answered
                                ? "workspace start failed: the cluster does not start it now: " + status.getMessage()
                                : "workspace start failed: the Kubernetes API server cannot be reached");
    }

    /** No answer, an overload, a conflict with what is just being deleted and an error of the server's own may be over in a moment. */
    private static boolean isFinal(int code) {
        return code >= 400 && code < 500 && !Set.of(408, 409, 425, 429).contains(code);
    }

    private <T extends @Nullable Object> Future<T> blocking(Callable<T> call) {
        return vertx.executeBlocking(call, false);
    }
}
