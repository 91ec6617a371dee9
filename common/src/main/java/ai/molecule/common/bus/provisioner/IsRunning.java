package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * What the engine says about a workspace's process, now. Called by the proxy when a connection was refused; an exit seen this
 * way is also acted on (offline, restart). Reads only for the caller.
 */
public record IsRunning(UUID workspaceId) {

    public static final Contract<IsRunning, Answer> CONTRACT =
            Contract.reading("provisioner.is-running", IsRunning.class, Answer.class);

    /** UNKNOWN: not one of ours, or the engine cannot be asked; then nothing is concluded. */
    public enum Verdict {
        RUNNING,
        EXITED,
        UNKNOWN
    }

    public record Answer(Verdict verdict) {}
}
