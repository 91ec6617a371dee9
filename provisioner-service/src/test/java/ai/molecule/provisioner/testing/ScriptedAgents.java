package ai.molecule.provisioner.testing;

import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.process.AgentMark;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Agents that are shell scripts, marked like real ones. */
public final class ScriptedAgents {

    /** Runs until it is stopped. */
    public static final AgentCommand STEADY = script("echo started; while :; do sleep 0.1; done");

    /** Says when SIGTERM no longer reaches it. */
    public static final AgentCommand STUBBORN = script("trap '' TERM; echo deaf; while :; do sleep 0.1; done");

    /** Says why, and ends at once. */
    public static final AgentCommand BROKEN = script("echo '[FAIL] no model key'; exit 3");

    /** Prints its environment and ends. */
    public static final AgentCommand ENVIRONMENT = command(mark -> List.of("/usr/bin/env"), Set.of("echo", "delegate"));

    private ScriptedAgents() {}

    public static AgentCommand script(String text) {
        return script(text, Set.of("echo", "delegate"));
    }

    /** @param adapters what it passes for */
    public static AgentCommand script(String text, Set<String> adapters) {
        return command(
                mark -> {
                    List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", text, "agent"));
                    line.addAll(mark.arguments());
                    return line;
                },
                adapters);
    }

    private static AgentCommand command(Function<AgentMark, List<String>> line, Set<String> adapters) {
        return new AgentCommand() {
            @Override
            public List<String> of(AgentMark mark, Tier tier) {
                return line.apply(mark);
            }

            @Override
            public Set<String> adapters() {
                return adapters;
            }
        };
    }
}
