package ai.molecule.provisioner.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Tells when pods end, from one watch over all agents. What it misses, the sweep sees. */
final class PodEnds implements ResourceEventHandler<Pod>, AutoCloseable {

    private final KubernetesClient client;
    private final String namespace;

    /** By the pod's uid; an entry lives as long as its pod. */
    private final Map<String, Promise<Void>> waiting = new ConcurrentHashMap<>();

    private @Nullable SharedIndexInformer<Pod> informer;

    PodEnds(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Blocks while the first watch begins; fails when the API server cannot be asked. */
    Future<Void> of(PodId pod) {
        watch();
        var end = waiting.computeIfAbsent(pod.uid(), uid -> Promise.promise());
        var now = client.pods().inNamespace(namespace).withName(pod.name()).get();
        if (now == null || !now.getMetadata().getUid().equals(pod.uid()) || Phases.ended(now)) {
            ended(pod.uid());
        }
        return end.future();
    }

    private synchronized void watch() {
        if (informer == null) {
            informer = client.pods()
                    .inNamespace(namespace)
                    .withLabel(PodNames.MANAGED, "true")
                    .inform(this);
        }
    }

    @Override
    public void onAdd(Pod pod) {
        onUpdate(pod, pod);
    }

    @Override
    public void onUpdate(Pod before, Pod now) {
        if (Phases.ended(now)) {
            ended(now.getMetadata().getUid());
        }
    }

    @Override
    public void onDelete(Pod pod, boolean deletedFinalStateUnknown) {
        ended(pod.getMetadata().getUid());
    }

    private void ended(String uid) {
        var end = waiting.remove(uid);
        if (end != null) {
            end.tryComplete();
        }
    }

    @Override
    public synchronized void close() {
        if (informer != null) {
            informer.close();
        }
    }
}
