package ai.molecule.runtime;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.prompts.ToolWords;
import ai.molecule.runtime.shell.OwnCommand;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The kinds of agent this runtime runs. Their names also stand in the jar, where whoever starts agents reads what it can run. */
final class AgentKinds {

    static final List<String> NAMES = listed();

    private AgentKinds() {}

    private static List<String> listed() {
        try (var list = AgentKinds.class.getResourceAsStream("/META-INF/molecule/adapters")) {
            return list == null
                    ? List.of()
                    : new String(list.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Whether this runtime, or a jar beside the configuration, has the kind. */
    static boolean has(String name, ClassLoader jars) {
        return NAMES.contains(name) || find(name, jars).isPresent();
    }

    /**
     * @throws PreflightFailure when the agent's own settings are wrong
     * @throws IllegalArgumentException for a name {@link Preflight} would not let through
     */
    static AgentExecutor create(RuntimeConfig config, WorkspaceConfig workspace, PlatformClient platform) {
        var adapter = find(workspace.adapter(), AdapterJars.of(config.configFolder(), config.environment()))
                .orElseThrow(() -> new IllegalArgumentException("no such adapter: " + workspace.adapter()));
        try {
            return adapter.start(new Beginning(config, workspace, platform.config()));
        } catch (NotReady found) {
            throw new PreflightFailure(found.title(), String.valueOf(found.getMessage()), found.fix());
        }
    }

    /** The runtime's own are found first, because their loader is the parent. */
    private static Optional<Adapter> find(String name, ClassLoader jars) {
        try {
            for (Adapter adapter : ServiceLoader.load(Adapter.class, jars)) {
                if (adapter.name().equals(name)) {
                    return Optional.of(adapter);
                }
            }
            return Optional.empty();
        } catch (ServiceConfigurationError broken) {
            throw new PreflightFailure(
                    "Adapters", "a jar's adapter cannot be used: " + broken.getMessage(), "Mend or remove the jar.");
        }
    }

    private record Beginning(RuntimeConfig config, WorkspaceConfig workspace, ClientConfig client)
            implements AdapterContext {

        @Override
        public String runtime() {
            return workspace.runtime();
        }

        @Override
        public String model() {
            return workspace.model();
        }

        @Override
        public int tier() {
            return OwnTools.tier(config, workspace);
        }

        @Override
        public String text(String key, String otherwise) {
            return settings().text(key, otherwise);
        }

        @Override
        public int number(String key, int otherwise) {
            return settings().number(key, otherwise);
        }

        @Override
        public boolean truth(String key, boolean otherwise) {
            return settings().truth(key, otherwise);
        }

        @Override
        public Path configFolder() {
            return config.configFolder();
        }

        @Override
        public Path workspaceFolder() {
            return config.workspaceFolder();
        }

        @Override
        public Map<String, String> environment() {
            return config.environment();
        }

        @Override
        public Map<String, String> programEnvironment() {
            return OwnCommand.addedTo(
                    config.environment(),
                    config.configFolder().resolve(".bin"),
                    Map.of(
                            "WORKSPACE_ID", config.workspaceId(),
                            "PLATFORM_URL", config.platformUrl(),
                            "CONFIGS_DIR", config.tokenFolder().toAbsolutePath().toString()));
        }

        @Override
        public AgentSetup setup(ToolWords words, Map<String, String> environment) {
            var settings = settings();
            String model = settings.text("model", "").isEmpty() ? workspace.model() : settings.text("model", "");
            return new AgentSetup(
                    workspace.runtime(),
                    config.environment().getOrDefault("MODEL_PROVIDER", model),
                    settings.text("command", ""),
                    settings.texts("args"),
                    settings.number("timeout", 0),
                    tokensMax(settings),
                    Briefing.of(config, workspace, client, words),
                    environment);
        }

        @Override
        public WorkspaceClient platform() {
            return new WorkspaceClient(client);
        }

        @Override
        public Duration delegationTimeout() {
            return workspace.delegationTimeout();
        }

        @Override
        public List<ToolSpec> platformTools() {
            return Tools.ALL;
        }

        @Override
        public ToolSource ownTools() {
            return OwnTools.of(config, workspace);
        }

        @Override
        public Toolbox toolbox() {
            return new Toolbox(new Workspaces(List.of(platform())), Optional.empty());
        }

        private Settings settings() {
            return Settings.of("runtime_config.", workspace.runtimeConfig());
        }
    }

    private static long tokensMax(Settings settings) {
        int tokens = settings.number("task_tokens_max", 0);
        if (tokens < 0) {
            throw ConfigFile.wrong(
                    "runtime_config.task_tokens_max is " + tokens, "Set it to a number above 0, or leave it out.");
        }
        return tokens;
    }
}
