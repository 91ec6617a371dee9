package ai.molecule.provisioner.kubernetes;

import ai.molecule.provisioner.backend.Exit;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a pod's status says about the agent in it. */
final class Phases {

    private static final int OBSTACLE_MAX = 400;

    /** No reasons: others are in the way of it, or nobody knows yet. */
    private static final Set<String> UNDER_WAY = Set.of("PodInitializing", "ContainerCreating");

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

    /** Nothing of it has run yet. */
    static boolean pending(Pod pod) {
        return pod.getStatus() == null || "Pending".equals(pod.getStatus().getPhase());
    }

    /** Why it does not get going: no node takes it, its image is not to be had, its container cannot be made. */
    static Optional<String> obstacle(Pod pod) {
        var status = pod.getStatus();
        if (status == null) {
            return Optional.empty();
        }
        var waiting = Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
                .filter(Objects::nonNull)
                .flatMap(List::stream)
                .flatMap(container -> Stream.ofNullable(container.getState()))
                .flatMap(state -> Stream.ofNullable(state.getWaiting()))
                .filter(state -> !UNDER_WAY.contains(state.getReason()))
                .map(state -> inWords(state.getReason(), state.getMessage()));
        var unmet = Stream.ofNullable(status.getConditions())
                .flatMap(List::stream)
                .filter(condition ->
                        "False".equals(condition.getStatus()) && "PodScheduled".equals(condition.getType()))
                .map(condition -> inWords(condition.getReason(), condition.getMessage()));
        return Stream.concat(unmet, waiting).filter(words -> !words.isBlank()).findFirst();
    }

    static String inWords(@Nullable String reason, @Nullable String message) {
        String words = Stream.of(reason, message)
                .filter(part -> part != null && !part.isBlank())
                .collect(Collectors.joining(": "))
                .replaceAll("\\p{Cntrl}+", " ");
        return words.substring(0, Math.min(words.length(), OBSTACLE_MAX));
    }

    private static String end(ContainerStateTerminated state, String lastLines) {
        return "OOMKilled".equals(state.getReason())
                ? "out of memory"
                : Exit.describe(Objects.requireNonNullElse(state.getExitCode(), 0), lastLines);
    }

    /** Of what lays its files before it, where that failed; else of the agent's own container. */
    private static Optional<ContainerStateTerminated> terminated(@Nullable PodStatus status) {
        return status == null
                ? Optional.empty()
                : Stream.concat(
                                states(status.getInitContainerStatuses())
                                        .filter(state -> !Objects.equals(0, state.getExitCode())),
                                states(status.getContainerStatuses()))
                        .findFirst();
    }

    private static Stream<ContainerStateTerminated> states(@Nullable List<ContainerStatus> containers) {
        return Stream.ofNullable(containers)
                .flatMap(List::stream)
                .flatMap(container -> Stream.ofNullable(container.getState()))
                .flatMap(state -> Stream.ofNullable(state.getTerminated()));
    }
}
