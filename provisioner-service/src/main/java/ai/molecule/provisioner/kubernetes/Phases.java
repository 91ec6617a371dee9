package ai.molecule.provisioner.kubernetes;

import ai.molecule.provisioner.backend.Exit;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** What a pod's status says about the agent in it. */
final class Phases {

    private Phases() {}

    /** A pod that is being deleted still counts as alive: it may hold its files and its address until it is gone. */
    static boolean ended(Pod pod) {
        var status = pod.getStatus();
        return status != null && ("Succeeded".equals(status.getPhase()) || "Failed".equals(status.getPhase()));
    }

    /**
     * How it ended, in words.
     *
     * @param lastLines what it printed last
     */
    static String end(Pod pod, String lastLines) {
        return terminated(pod.getStatus())
                .map(state -> end(state, lastLines))
                .or(() -> Optional.ofNullable(pod.getStatus())
                        .map(PodStatus::getReason)
                        .filter(reason -> !reason.isBlank())
                        .map(reason -> "ended by the cluster: " + reason)) // such as Evicted
                .orElse("exit code unknown");
    }

    private static String end(ContainerStateTerminated state, String lastLines) {
        return "OOMKilled".equals(state.getReason())
                ? "out of memory"
                : Exit.describe(Objects.requireNonNullElse(state.getExitCode(), 0), lastLines);
    }

    private static Optional<ContainerStateTerminated> terminated(PodStatus status) {
        return status == null || status.getContainerStatuses() == null
                ? Optional.empty()
                : status.getContainerStatuses().stream()
                        .flatMap(container -> Stream.ofNullable(container.getState()))
                        .flatMap(state -> Stream.ofNullable(state.getTerminated()))
                        .findFirst();
    }
}
