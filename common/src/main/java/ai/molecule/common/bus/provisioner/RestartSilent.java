package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * An agent of ours gave no sign of life and does not answer: end its process and treat that as a death, with the back-off and the
 * crash loop of any other. Called by the registry, which judges silence; acted on only while the workspace is offline and this
 * incarnation runs, so a repeat after a time-out changes nothing.
 */
public record RestartSilent(UUID workspaceId, int incarnation) {

    public static final Contract<RestartSilent, Answer> CONTRACT =
            Contract.of("provisioner.restart-silent", RestartSilent.class, Answer.class);

    /** False when no process of that incarnation is on record as running: then there is nothing to end, or it is being replaced. */
    public record Answer(boolean accepted) {}
}
