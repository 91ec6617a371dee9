package ai.molecule.runtime;

import java.util.Map;

/** What must be right before anything listens, so that a wrong setting ends in a sentence and not in an agent that half works. */
final class Preflight {

    private Preflight() {}

    /**
     * @param environment in which the variables of {@code runtime_config.required_env} are looked for
     * @throws PreflightFailure for the first thing that is wrong
     */
    static void check(WorkspaceConfig workspace, Map<String, String> environment) {
        if (!AgentKinds.NAMES.contains(workspace.adapter())) {
            String known = String.join(", ", AgentKinds.NAMES);
            throw new PreflightFailure(
                    "Runtime",
                    "runtime %s cannot run here, only %s can".formatted(workspace.adapter(), known),
                    "Set runtime in config.yaml to one of: " + known + ".");
        }
        if (workspace.a2aPort() < 1 || workspace.a2aPort() > 65_535) {
            throw new PreflightFailure(
                    "A2A port",
                    "a2a.port is " + workspace.a2aPort(),
                    "Set a2a.port in config.yaml to a number from 1 to 65535.");
        }
        for (String name :
                Settings.of("runtime_config.", workspace.runtimeConfig()).texts("required_env")) {
            if (environment.getOrDefault(name, "").isBlank()) {
                throw new PreflightFailure(
                        "Environment",
                        "required environment variable " + name + " is not set",
                        "Set it as a secret of the workspace.");
            }
        }
    }
}
