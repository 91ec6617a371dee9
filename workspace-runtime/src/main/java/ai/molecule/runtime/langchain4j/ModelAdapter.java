package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.prompts.ToolWords;

/** Asks a model, and runs the tools it calls. */
public final class ModelAdapter implements Adapter {

    @Override
    public String name() {
        return "langchain4j";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        return new ModelExecutor(
                context.setup(ToolWords.TOOLS, context.environment()),
                context.platformTools(),
                context.ownTools(),
                context.toolbox());
    }
}
