package ai.molecule.runtime;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.cli.CliExecutor;
import ai.molecule.runtime.delegate.DelegateExecutor;
import ai.molecule.runtime.echo.EchoExecutor;
import ai.molecule.runtime.langchain4j.ModelExecutor;
import ai.molecule.runtime.prompts.ToolWords;
import ai.molecule.runtime.rehearsed.RehearsedExecutor;
import ai.molecule.runtime.shell.OwnCommand;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    /**
     * @throws PreflightFailure when the agent's own settings are wrong
     * @throws IllegalArgumentException for a name {@link Preflight} would not let through
     */
    static AgentExecutor create(RuntimeConfig config, WorkspaceConfig workspace, PlatformClient platform) {
        try {
            return kind(config, workspace, platform);
        } catch (NotReady found) {
            throw new PreflightFailure(found.title(), String.valueOf(found.getMessage()), found.fix());
        }
    }

    private static AgentExecutor kind(RuntimeConfig config, WorkspaceConfig workspace, PlatformClient platform) {
        var settings = Settings.of("runtime_config.", workspace.runtimeConfig());
        return switch (workspace.adapter()) {
            case "echo" -> new EchoExecutor(settings.truth("converse", false));
            case "delegate" ->
                new DelegateExecutor(new WorkspaceClient(platform.config()), workspace.delegationTimeout());
            case "rehearsed" ->
                new RehearsedExecutor(
                        workspace.model(),
                        new WorkspaceClient(platform.config()),
                        config.configFolder(),
                        config.workspaceFolder());
            case "cli" -> {
                var environment = programs(config);
                boolean reachable = environment.containsKey(OwnCommand.VARIABLE);
                ToolWords words = CliExecutor.usesTools(workspace.runtime(), settings.text("command", ""))
                        ? ToolWords.TOOLS
                        : ToolWords.SHELL;
                yield new CliExecutor(
                        setup(config, workspace, settings, platform, reachable ? words : ToolWords.NONE, environment));
            }
            case "langchain4j" ->
                new ModelExecutor(
                        setup(config, workspace, settings, platform, ToolWords.TOOLS, config.environment()),
                        Tools.ALL,
                        OwnTools.of(config, workspace),
                        toolbox(platform));
            default -> throw new IllegalArgumentException("no such adapter: " + workspace.adapter());
        };
    }

    private static AgentSetup setup(
            RuntimeConfig config,
            WorkspaceConfig workspace,
            Settings settings,
            PlatformClient platform,
            ToolWords tools,
            Map<String, String> environment) {
        String model = settings.text("model", "").isEmpty() ? workspace.model() : settings.text("model", "");
        return new AgentSetup(
                workspace.runtime(),
                config.environment().getOrDefault("MODEL_PROVIDER", model),
                settings.text("command", ""),
                settings.texts("args"),
                settings.number("timeout", 0),
                tokensMax(settings),
                Briefing.of(config, workspace, platform.config(), tools),
                environment);
    }

    private static long tokensMax(Settings settings) {
        int tokens = settings.number("task_tokens_max", 0);
        if (tokens < 0) {
            throw ConfigFile.wrong(
                    "runtime_config.task_tokens_max is " + tokens, "Set it to a number above 0, or leave it out.");
        }
        return tokens;
    }

    /** What programs find in their environment: the agent's own, and a command that speaks for the agent. */
    private static Map<String, String> programs(RuntimeConfig config) {
        return OwnCommand.addedTo(
                config.environment(),
                config.configFolder().resolve(".bin"),
                Map.of(
                        "WORKSPACE_ID", config.workspaceId(),
                        "PLATFORM_URL", config.platformUrl(),
                        "CONFIGS_DIR", config.tokenFolder().toAbsolutePath().toString()));
    }

    private static Toolbox toolbox(PlatformClient platform) {
        var self = new WorkspaceClient(platform.config());
        return new Toolbox(new Workspaces(List.of(self)), Optional.empty());
    }
}
