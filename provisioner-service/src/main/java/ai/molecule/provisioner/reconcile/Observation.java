package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.backend.AgentProcess;

/** What the engine says about a workspace's process, and what this provisioner did about it. */
sealed interface Observation {

    /**
     * @param announced whether this provisioner recorded its endpoint and watches for its end
     * @param silent whether the registry asked a moment ago to have it replaced, because nobody hears of it any more
     */
    record Running(AgentProcess process, boolean announced, boolean silent) implements Observation {}

    /**
     * There is no process.
     *
     * @param exit how the last one ended, in words
     * @param witnessed whether it ended while this provisioner watched it, and not while the whole platform was down
     */
    record Gone(String exit, boolean witnessed) implements Observation {}
}
