package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.instances.Instance;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What to do about one workspace now. */
sealed interface Decision {

    /** Everything is as it should be, or will be without us. */
    record Nothing() implements Decision {}

    /** @param replaced an older process, stopped first; null when there is none */
    record Start(ManagedWorkspace workspace, @Nullable AgentProcess replaced) implements Decision {}

    /** A process of the wanted start runs that this provisioner did not announce: after its own restart, or a crash within a start. */
    record Adopt(ManagedWorkspace workspace, Instance instance, AgentProcess process) implements Decision {}

    /** The wanted process ended by itself. */
    record Died(ManagedWorkspace workspace, Instance instance, Observation.Gone how) implements Decision {}

    /** The wanted process lives, but gives no sign of life: end it, and treat that as its death. */
    record Hung(ManagedWorkspace workspace, Instance instance, AgentProcess process) implements Decision {}

    /** The registry holds this start for failed, and a crash kept us from ending it: do so now. */
    record GivenUp(ManagedWorkspace workspace, @Nullable AgentProcess process) implements Decision {}

    /** A process runs that nobody has on record and nobody waits for: end it, and leave the record as it is. */
    record Stray(AgentProcess process) implements Decision {}

    /** The back-off of a dead process is over: ask the registry for the next incarnation. */
    record Restart(ManagedWorkspace workspace) implements Decision {}

    /**
     * The agent did not come online in time.
     *
     * @param reason why it could not even be started; null for one that was
     */
    record GiveUp(
            ManagedWorkspace workspace,
            @Nullable AgentProcess process,
            Duration waited,
            @Nullable String reason) implements Decision {}

    /** @param process null when none lives */
    record Stop(@Nullable AgentProcess process) implements Decision {}

    /** Stop, and delete everything kept for the workspace. */
    record Delete(@Nullable AgentProcess process) implements Decision {}
}
