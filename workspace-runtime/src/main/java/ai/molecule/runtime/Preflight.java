package ai.molecule.runtime;

/** What must be right before anything listens, so that a wrong setting ends in a sentence and not in an agent that half works. */
final class Preflight {

    private Preflight() {}

    /** @throws PreflightFailure for the first thing that is wrong */
    static void check(WorkspaceConfig workspace) {
        if (!AgentKinds.NAMES.contains(workspace.runtime())) {
            String known = String.join(", ", AgentKinds.NAMES);
            throw new PreflightFailure(
                    "Runtime",
                    "runtime %s cannot run here, only %s can".formatted(workspace.runtime(), known),
                    "Set runtime in config.yaml to one of: " + known + ".");
        }
        if (workspace.a2aPort() < 1 || workspace.a2aPort() > 65_535) {
            throw new PreflightFailure(
                    "A2A port",
                    "a2a.port is " + workspace.a2aPort(),
                    "Set a2a.port in config.yaml to a number from 1 to 65535.");
        }
    }
}
