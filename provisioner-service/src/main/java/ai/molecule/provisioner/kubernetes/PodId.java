package ai.molecule.provisioner.kubernetes;

import ai.molecule.provisioner.backend.AgentProcess;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;

/** A pod's name, by which it is asked for, and its uid, which no other pod ever has: {@code <name>/<uid>} as a process id. */
record PodId(String name, String uid) {

    static PodId of(AgentProcess process) {
        String[] parts = process.id().split("/", 2);
        return new PodId(parts[0], parts.length == 2 ? parts[1] : "");
    }

    static AgentProcess processOf(Pod pod) {
        var metadata = pod.getMetadata();
        return new AgentProcess(
                metadata.getName() + "/" + metadata.getUid(), Instant.parse(metadata.getCreationTimestamp()));
    }
}
