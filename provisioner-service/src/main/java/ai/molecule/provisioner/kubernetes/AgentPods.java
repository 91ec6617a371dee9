package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.auth.Ids;
import ai.molecule.provisioner.backend.LogTail;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agents' pods in their namespace. Every call blocks. */
record AgentPods(KubernetesClient client, KubernetesSettings settings) {

    /** What a pod may take to vanish beyond its grace before it is removed by force. */
    private static final Duration REMOVAL_MAX = Duration.ofSeconds(20);

    private static final int NOT_FOUND = 404;
    private static final int FORBIDDEN = 403;

    private static final long WARNINGS_MAX = 100;

    /** What is answered for the log of a container that waits. */
    private static final int NOT_BEGUN = 400;

    /** The API server counts from the first of the lines asked for, so a narrow bound would cut off the last. */
    private static final int LOG_MAX_BYTES = 256 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(AgentPods.class);

    /** Politely, then by force; completes when the pod is gone. Another workspace's pod of that name fails with CONFLICT. */
    void remove(PodNames names) {
        if (find(names.workspaceId()).isPresent()) {
            remove(named(names.name()));
        } else if (named(names.name()).get() instanceof Pod anothers) {
            throw Ensure.anothers(anothers);
        }
    }

    /** As {@link #remove(PodNames)}, for one known by its uid. */
    void remove(PodResource pod) {
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

    PodResource named(String name) {
        return client.pods().inNamespace(settings.namespace()).withName(name);
    }

    /** The workspace's own, and no other of that name. */
    Optional<Pod> find(UUID workspaceId) {
        var names = new PodNames(workspaceId);
        return Optional.ofNullable(named(names.name()).get()).filter(names::own);
    }

    /** Those that say whose they are. */
    Map<UUID, Pod> all() {
        Map<UUID, Pod> pods = new HashMap<>();
        client.pods()
                .inNamespace(settings.namespace())
                .withLabel(PodNames.MANAGED, "true")
                .list()
                .getItems()
                .forEach(pod -> workspaceOf(pod).ifPresent(id -> pods.put(id, pod)));
        return pods;
    }

    /** Empty for what carries our mark and no id: somebody else's doing, and no reason to stop looking at the others. */
    static Optional<UUID> workspaceOf(HasMetadata marked) {
        return Ids.find(PodNames.ownerOf(marked));
    }

    /** What the cluster last warned of about a pod that nothing of has run yet, such as a volume that cannot be mounted. */
    Optional<String> warning(Pod pod) {
        if (!Phases.pending(pod)) {
            return Optional.empty();
        }
        String uid = pod.getMetadata().getUid();
        try {
            return client
                    .v1()
                    .events()
                    .inNamespace(settings.namespace())
                    .withField("involvedObject.uid", uid)
                    .list(new ListOptionsBuilder().withLimit(WARNINGS_MAX).build())
                    .getItems()
                    .stream()
                    .filter(event -> "Warning".equals(event.getType())
                            && uid.equals(event.getInvolvedObject().getUid()))
                    .max(Comparator.comparing(event -> Objects.requireNonNullElse(event.getLastTimestamp(), "")))
                    .map(event -> Phases.inWords(event.getReason(), event.getMessage()));
        } catch (KubernetesClientException refused) {
            if (refused.getCode() == FORBIDDEN) { // by a role from before this was asked
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** Changes one label of a live pod where it is another. */
    void label(Pod pod, String label, String value) {
        var metadata = pod.getMetadata();
        if (!value.equals(metadata.getLabels().get(label))) {
            named(metadata.getName())
                    .edit(latest -> PodNames.ownerOf(latest).equals(PodNames.ownerOf(pod))
                            ? latest.edit()
                                    .editMetadata()
                                    .addToLabels(label, value)
                                    .endMetadata()
                                    .build()
                            : latest);
        }
    }

    /** Empty when nothing is kept of it. */
    String log(UUID workspaceId) {
        if (find(workspaceId).isEmpty()) {
            return "";
        }
        String log = log(workspaceId, Manifests.AGENT);
        return log.isEmpty() ? log(workspaceId, Manifests.INITIAL) : log; // it says why the agent did not even begin
    }

    private String log(UUID workspaceId, String container) {
        try {
            var log = named(new PodNames(workspaceId).name())
                    .inContainer(container)
                    .limitBytes(LOG_MAX_BYTES)
                    .tailingLines(LogTail.LINES_MAX)
                    .getLog();
            return log == null ? "" : LogTail.of(log.getBytes(StandardCharsets.UTF_8), false);
        } catch (KubernetesClientException gone) {
            if (gone.getCode() != NOT_FOUND && gone.getCode() != NOT_BEGUN) {
                throw gone;
            }
            return "";
        }
    }
}
