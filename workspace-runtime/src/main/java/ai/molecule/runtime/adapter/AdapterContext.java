package ai.molecule.runtime.adapter;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.prompts.ToolWords;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.sdk.WorkspaceClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What an agent begins from. Settings are those of {@code runtime_config}; one that cannot be read as what is asked for ends the start. */
public interface AdapterContext {

    /** As it was asked for: one kind may stand for several. */
    String runtime();

    /** {@code <provider>:<model>}, or only a model; may be empty. */
    String model();

    /** 1 to 4: the platform's word, else that of {@code config.yaml}. */
    default int tier() {
        return 1;
    }

    String text(String key, String otherwise);

    int number(String key, int otherwise);

    boolean truth(String key, boolean otherwise);

    /** Where {@code config.yaml} is. */
    Path configFolder();

    /** What the agent works on. */
    Path workspaceFolder();

    /** The process's variables, secrets among them. */
    Map<String, String> environment();

    /** The same for programs that the agent starts: where it can be had, with a command {@code molecule} that speaks for the agent. */
    Map<String, String> programEnvironment();

    /**
     * The model, its limits and its system prompt, which follows what it is made from; to be closed by whoever asks for it.
     *
     * @param words what the prompt says of the platform's tools
     */
    AgentSetup setup(ToolWords words, Map<String, String> environment);

    /** Speaks to the platform in the agent's name. */
    WorkspaceClient platform();

    /** How long a peer may take to answer. */
    Duration delegationTimeout();

    /** Those of docs/tools.md. */
    List<ToolSpec> platformTools();

    /** Those of {@code tools} and {@code mcp_servers} of the configuration; begun by being asked for. */
    ToolSource ownTools();

    /** What tools work with. */
    Toolbox toolbox();
}
