package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.backend.AgentProcess;

/** What the engine says about a workspace's process, and what this provisioner did about it. */
sealed interface Observation {

    /** @param announced whether this provisioner recorded its endpoint and watches for its end */
    record Running(AgentProcess process, boolean announced) implements Observation {}

    /**
     * There is no process.
     *
     * @param exit how the last one ended, in words
     * @param witnessed whether it ended while this provisioner watched it, and not while the whole platform was down
     */
    record Gone(String exit, boolean witnessed) implements Observation {}
}
