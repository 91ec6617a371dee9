package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.prompts.ToolWords;
import java.nio.file.Path;

/** Asks a model, and runs the tools it calls. */
public final class ModelAdapter implements Adapter {

    @Override
    public String name() {
        return "langchain4j";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        var setup = context.setup(ToolWords.TOOLS, context.environment());
        String model = setup.model();
        return model.startsWith(RecordedModel.PREFIX)
                ? new ModelExecutor(
                        setup,
                        context.platformTools(),
                        context.ownTools(),
                        context.toolbox(),
                        new RecordedModel(Recording.read(context.configFolder()
                                .resolve(Path.of(model.substring(RecordedModel.PREFIX.length()))
                                        .getFileName()))))
                : asked(setup, context);
    }

    private static ModelExecutor asked(AgentSetup setup, AdapterContext context) {
        return new ModelExecutor(setup, context.platformTools(), context.ownTools(), context.toolbox());
    }
}
