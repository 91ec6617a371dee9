package ai.molecule.runtime.echo;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;

/** Repeats what it is told. */
public final class EchoAdapter implements Adapter {

    @Override
    public String name() {
        return "echo";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        return new EchoExecutor(context.truth("converse", false));
    }
}
