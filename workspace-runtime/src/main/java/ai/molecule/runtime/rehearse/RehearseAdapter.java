package ai.molecule.runtime.rehearse;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.NotReady;

/** Obeys scripts; {@code script} is the one for messages that hold none. */
public final class RehearseAdapter implements Adapter {

    @Override
    public String name() {
        return "rehearse";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        try {
            return new RehearseExecutor(context.text("script", ""), context.workspaceFolder());
        } catch (IllegalArgumentException wrong) {
            throw new NotReady(
                    "Script", String.valueOf(wrong.getMessage()), "Mend runtime_config.script, see docs/agents.md");
        }
    }
}
