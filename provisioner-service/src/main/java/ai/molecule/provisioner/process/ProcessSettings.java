package ai.molecule.provisioner.process;

import ai.molecule.provisioner.containers.Tier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the process backend needs to know.
 *
 * @param data {@code MOLECULE_DATA}: agents live in {@code workspaces/<id>} below it
 * @param runtimeJar {@code MOLECULE_RUNTIME_JAR}: what an agent runs
 * @param platformUrl {@code PLATFORM_URL}: the front door, as agents reach it
 * @param agentHost {@code MOLECULE_AGENT_HOST}: where agents listen, and by what they are known to whoever dials them
 * @param lifeline {@code MOLECULE_AGENT_LIFELINE}: a FIFO held open for writing; agents end when it closes
 * @param path the agents' {@code PATH}, ours
 * @param lang the agents' {@code LANG}, ours
 * @param heartbeat {@code MOLECULE_HEARTBEAT_SECONDS}: how often an agent shall say that it lives; well below the liveness TTL
 * @param stopGrace how long a process may take to stop before it is killed
 * @param firstUid {@code MOLECULE_AGENT_UIDS}: as root, the first of 32,768 users set aside for agents; null for the platform's own user
 * @param tiers limits by tier, {@code TIERn_MEMORY_MB} and {@code TIERn_CPU_SHARES}
 * @param cgroups {@code MOLECULE_CGROUPS}, default {@code auto}: limits for an agent's processes together where the machine has them;
 *     {@code off} does not ask for them
 */
public record ProcessSettings(
        Path data,
        @Nullable Path runtimeJar,
        String platformUrl,
        String agentHost,
        @Nullable Path lifeline,
        String path,
        String lang,
        Duration heartbeat,
        Duration stopGrace,
        @Nullable Integer firstUid,
        List<Tier> tiers,
        boolean cgroups) {}
