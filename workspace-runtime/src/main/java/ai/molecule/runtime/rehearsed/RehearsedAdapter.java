package ai.molecule.runtime.rehearsed;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;

/** Plays a part of the example organisation. */
public final class RehearsedAdapter implements Adapter {

    @Override
    public String name() {
        return "rehearsed";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        return new RehearsedExecutor(
                context.model(), context.platform(), context.configFolder(), context.workspaceFolder());
    }
}
