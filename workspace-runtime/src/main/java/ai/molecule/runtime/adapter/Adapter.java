package ai.molecule.runtime.adapter;

import ai.molecule.runtime.agent.AgentExecutor;

/**
 * A kind of agent. An implementation is named in {@code META-INF/services/ai.molecule.runtime.adapter.Adapter} of its jar, has a constructor
 * without parameters and holds nothing: what it starts, an {@link AgentExecutor}, says what the agent can do, is prompted, streams, and is stopped.
 * docs/adapters.md tells how to write, try and install one.
 */
public interface Adapter {

    /** What {@code runtime_config.adapter} calls it; of several with one name the runtime's own counts. */
    String name();

    /**
     * Starts the agent; called once in a process.
     *
     * @throws ai.molecule.runtime.agent.NotReady when it cannot work as it is set up
     */
    AgentExecutor start(AdapterContext context);
}
