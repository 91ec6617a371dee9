package ai.molecule.runtime;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.TaskLimits;
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
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

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
            var beginning = new Beginning(config, workspace, platform.config(), new AtomicBoolean());
            AgentExecutor executor = adapter.start(beginning);
            if (workspace.materials().unasked().isPresent()
                    && !beginning.tookOwnTools().get()) {
                executor.close();
                throw ConfigFile.wrong(
                        Unasked.KEY + " is there, and what runs this agent (" + workspace.adapter()
                                + ") has tools that the platform cannot hold back",
                        "Leave it out, or run the agent by langchain4j.");
            }
            return executor;
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

    /** @param tookOwnTools whether they were asked for: only who has them from here is held to {@code unasked} */
    private record Beginning(
            RuntimeConfig config, WorkspaceConfig workspace, ClientConfig client, AtomicBoolean tookOwnTools)
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
                    limits(settings),
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
            tookOwnTools.set(true);
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

    private static TaskLimits limits(Settings settings) {
        var in = amount(settings, "price_in");
        var out = amount(settings, "price_out");
        if ((in == null) != (out == null)) {
            throw ConfigFile.wrong(
                    "runtime_config has one of price_in and price_out", "Set both, in dollars per million tokens.");
        }
        var cost = amount(settings, "task_cost_max");
        return new TaskLimits(
                count(settings, "task_tokens_max"),
                count(settings, "task_turns_max"),
                cost == null ? 0 : TaskLimits.microsOf(cost),
                in == null || out == null ? null : new TaskLimits.Price(in, out));
    }

    private static int count(Settings settings, String key) {
        int count = settings.number(key, 0);
        if (count < 0) {
            throw ConfigFile.wrong(
                    "runtime_config." + key + " is " + count, "Set it to a number above 0, or leave it out.");
        }
        return count;
    }

    /** In dollars, at most a million; null where it is left out. */
    private static @Nullable BigDecimal amount(Settings settings, String key) {
        if (!settings.has(key)) {
            return null;
        }
        String text = settings.text(key, "");
        if (!text.matches("\\d{1,6}(\\.\\d{1,6})?")) {
            throw ConfigFile.wrong("runtime_config." + key + " is " + text, "Set it to dollars, such as 0.50.");
        }
        return new BigDecimal(text);
    }
}
