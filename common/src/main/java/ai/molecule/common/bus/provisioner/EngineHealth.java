package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;

/** Whether the engine agents run in can be asked now. Called by the registry while restarts are frozen. Reads only. */
public record EngineHealth() {

    public static final Contract<EngineHealth, Answer> CONTRACT =
            Contract.reading("provisioner.engine-health", EngineHealth.class, Answer.class);

    public record Answer(boolean healthy) {}
}
