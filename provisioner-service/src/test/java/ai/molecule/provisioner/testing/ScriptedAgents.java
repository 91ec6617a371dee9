package ai.molecule.provisioner.testing;

import ai.molecule.provisioner.process.AgentCommand;
import java.util.List;

/** Agents that are shell scripts, marked like real ones. */
public final class ScriptedAgents {

    /** Runs until it is stopped. */
    public static final AgentCommand STEADY = script("echo started; while :; do sleep 0.1; done");

    /** Says when SIGTERM no longer reaches it. */
    public static final AgentCommand STUBBORN = script("trap '' TERM; echo deaf; while :; do sleep 0.1; done");

    /** Says why, and ends at once. */
    public static final AgentCommand BROKEN = script("echo '[FAIL] no model key'; exit 3");

    /** Prints its environment and ends. */
    public static final AgentCommand ENVIRONMENT = workspaceId -> List.of("/usr/bin/env");

    private ScriptedAgents() {}

    public static AgentCommand script(String text) {
        return workspaceId -> List.of("/bin/sh", "-c", text, "agent", AgentCommand.markOf(workspaceId));
    }
}
