package ai.molecule.runtime.delegate;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;

/** Hands on what it is told. */
public final class DelegateAdapter implements Adapter {

    @Override
    public String name() {
        return "delegate";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        return new DelegateExecutor(context.platform(), context.delegationTimeout());
    }
}
