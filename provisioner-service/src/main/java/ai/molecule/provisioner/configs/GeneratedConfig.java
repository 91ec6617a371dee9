package ai.molecule.provisioner.configs;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import java.util.Set;

/** The {@code config.yaml} of a workspace that came without one (registry contract, 11.2). */
public final class GeneratedConfig {

    /** Runtimes that time out by themselves; all others get an explicit "never". */
    private static final Set<String> OWN_TIMEOUT = Set.of("langgraph", "deepagents");

    private GeneratedConfig() {}

    public static String of(ManagedWorkspace workspace) {
        var yaml = new StringBuilder();
        yaml.append("name: ").append(YamlText.quoted(workspace.name())).append('\n');
        yaml.append("description: ")
                .append(YamlText.quoted(workspace.role() == null ? "" : workspace.role()))
                .append('\n');
        yaml.append("version: 1.0.0\n");
        yaml.append("tier: ").append(workspace.tier()).append('\n');
        yaml.append("runtime: ").append(runtimeOf(workspace)).append('\n');
        yaml.append("model: ").append(YamlText.quoted(modelOf(workspace))).append('\n');
        if (!OWN_TIMEOUT.contains(workspace.runtime())) {
            yaml.append("runtime_config:\n  timeout: 0\n");
        }
        return yaml.toString();
    }

    /** A name that would not be read back runs like {@code langgraph}, as any other that nobody knows. */
    private static String runtimeOf(ManagedWorkspace workspace) {
        return ConfigFile.isRuntime(workspace.runtime()) ? workspace.runtime() : "langgraph";
    }

    private static String modelOf(ManagedWorkspace workspace) {
        if (workspace.model() != null && !workspace.model().isEmpty()) {
            return workspace.model();
        }
        return workspace.runtime().equals("claude-code") ? "sonnet" : "anthropic:claude-opus-4-7";
    }
}
