package ai.molecule.provisioner.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Commands in the workspace's pod, as the agent's own user: whatever they are led to, they reach nothing that the agent could not.
 * Where the agent does not run, a pod with its volume is started for them, which ends by itself two minutes later, and before the
 * agent starts. A volume that does not exist yet is created. Another workspace's pod or volume of that name fails with CONFLICT.
 */
record PodShell(KubernetesClient client, KubernetesSettings settings, Manifests manifests) implements Shell {

    /** For a pod to be scheduled, its volume attached and its image pulled. */
    private static final Duration READY_MAX = Duration.ofSeconds(60);

    private static final Duration COMMAND_MAX = Duration.ofSeconds(30);

    @Override
    public int run(UUID workspaceId, String script, List<String> arguments, InputStream input, OutputStream output)
            throws IOException {
        String[] command = Stream.concat(Stream.of("sh", "-c", script, "sh"), arguments.stream())
                .toArray(String[]::new);
        try (var running = pod(workspaceId)
                .inContainer(Manifests.AGENT)
                .readingInput(input)
                .writingOutput(output)
                .exec(command)) {
            return running.exitCode().get(COMMAND_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IOException("a command in a pod did not end", failed);
        }
    }

    /** Ends the pod that was started for files, so that the agent's own gets the volume. Blocks until it is gone. */
    void close(PodNames names) {
        var pod = pod(names.filesPod());
        if (find(pod, names) != null) {
            pod.withGracePeriod(0).delete();
            pod.waitUntilCondition(gone -> gone == null, READY_MAX.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** One that has the workspace's volume and runs. */
    private PodResource pod(UUID workspaceId) {
        var names = new PodNames(workspaceId);
        var agent = pod(names.name());
        if (isRunning(find(agent, names))) {
            return agent;
        }
        var files = pod(names.filesPod());
        if (!isRunning(find(files, names))) {
            close(names);
            Ensure.exists(client, settings.namespace(), manifests.claim(names));
            Ensure.exists(client, settings.namespace(), manifests.files(names));
            files.waitUntilCondition(PodShell::isRunning, READY_MAX.toMillis(), TimeUnit.MILLISECONDS);
        }
        return files;
    }

    private static @Nullable Pod find(PodResource named, PodNames names) {
        var found = named.get();
        if (found != null && !names.own(found)) {
            throw Ensure.anothers(found);
        }
        return found;
    }

    private PodResource pod(String name) {
        return client.pods().inNamespace(settings.namespace()).withName(name);
    }

    private static boolean isRunning(@Nullable Pod pod) {
        return pod != null
                && pod.getMetadata().getDeletionTimestamp() == null
                && pod.getStatus() != null
                && "Running".equals(pod.getStatus().getPhase());
    }
}
