package ai.molecule.provisioner.instances;

import ai.molecule.provisioner.backend.AgentProcess;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The provisioner's own record of a workspace.
 *
 * @param incarnation the start this record tells about
 * @param process set exactly while {@link State#RUNNING}
 * @param port where its agents listen; kept from start to start
 * @param attempts restarts since it last ran stably, for the back-off
 * @param deaths the times of its last deaths, oldest first, for the crash loop
 * @param restartAt when to start it again; set exactly while {@link State#EXITED}
 * @param lastExit how its last process ended
 * @param firstTriedAt since when this start is tried
 * @param lastReason why it was not possible at the last try; null while none failed
 */
public record Instance(
        UUID workspaceId,
        int incarnation,
        State state,
        @Nullable AgentProcess process,
        @Nullable Integer port,
        int attempts,
        List<Instant> deaths,
        @Nullable Instant restartAt,
        @Nullable String lastExit,
        Instant updatedAt,
        @Nullable Instant firstTriedAt,
        @Nullable String lastReason) {

    /** Where a start stands. */
    public enum State {
        /** About to be started; a process may exist that was never recorded. */
        STARTING,
        RUNNING,
        /** Died by itself; starts again at {@link #restartAt}. */
        EXITED,
        /** Stopped by us. */
        STOPPED,
        /** Given up until a person restarts it. */
        FAILED
    }
}
