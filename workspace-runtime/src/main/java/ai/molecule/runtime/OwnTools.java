package ai.molecule.runtime;

import ai.molecule.runtime.commands.CommandTool;
import ai.molecule.runtime.fetch.FetchTool;
import ai.molecule.runtime.filetools.FileTools;
import ai.molecule.runtime.mcpclient.McpServerConfig;
import ai.molecule.runtime.mcpclient.McpServers;
import ai.molecule.runtime.skills.Abilities;
import ai.molecule.runtime.skills.Plugin;
import ai.molecule.runtime.tools.Approving;
import ai.molecule.runtime.tools.Asking;
import ai.molecule.runtime.tools.ToolRefusal;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a model is given beside the platform's tools, by {@code config.yaml} and by plugins. Nothing of it is loaded where nothing is configured. */
final class OwnTools {

    private static final Logger LOGGER = LoggerFactory.getLogger(OwnTools.class);

    /** All of them are {@code files}. */
    private static final Set<String> FILE_TOOLS = Set.of("files", "read", "write", "edit", "list", "glob", "search");

    /** What {@code tools} may name; other names are other runtimes'. */
    static final List<String> NAMES = List.of(
            "files",
            "read",
            "write",
            "edit",
            "list",
            "glob",
            "search",
            "run",
            "fetch",
            Asking.TOOL.name(),
            Approving.TOOL.name());

    private static final int FETCH_TIER_MIN = 2;

    private OwnTools() {}

    /** @throws PreflightFailure when {@code config.yaml} is wrong; what is wrong with a plugin is logged, and left out */
    static ToolSource of(RuntimeConfig config, WorkspaceConfig workspace) {
        List<McpServerConfig> servers = servers(config, workspace, config.environment());
        Set<String> names = Set.copyOf(workspace.materials().tools());
        List<ToolSpec> built = built(config, workspace, names);
        Optional<FetchTool> fetch = fetch(config, workspace, names);
        fetch.ifPresent(tool -> built.add(tool.tool()));
        ToolSource foreign = servers.isEmpty()
                ? ToolSource.NONE
                : new Foreign(
                        McpServers.connect(servers, config.workspaceFolder(), Clock.systemUTC()), config, workspace);
        ToolSource all = built.isEmpty() ? foreign : new Both(built, foreign, () -> fetch.ifPresent(FetchTool::close));
        return workspace.materials().unasked().map(unasked -> unasked.over(all)).orElse(all);
    }

    /** The one folder in the workspace's in which files may be changed; empty where all may be. */
    static String output(RuntimeConfig config) {
        return new Settings(ConfigFile.load(config.configFolder())).text("output_folder", "");
    }

    /** Servers, which find the agent's variables in their settings. */
    private record Foreign(McpServers servers, RuntimeConfig config, WorkspaceConfig workspace) implements ToolSource {
        @Override
        public ForMessage begin() throws InterruptedException {
            return servers.begin();
        }

        @Override
        public void takeOtherValues(Map<String, String> environment) {
            try {
                servers.renew(OwnTools.servers(config, workspace, environment));
            } catch (PreflightFailure wrong) {
                LOGGER.atWarn().addKeyValue("reason", wrong.getMessage()).log("MCP servers keep the values they have");
            }
        }

        @Override
        public void close() {
            servers.close();
        }
    }

    private record Both(List<ToolSpec> built, ToolSource foreign, Runnable letGo) implements ToolSource {
        @Override
        public ForMessage begin() throws InterruptedException {
            ForMessage begun = foreign.begin();
            return () -> Stream.concat(built.stream(), begun.now().stream()).toList();
        }

        @Override
        public void takeOtherValues(Map<String, String> environment) {
            foreign.takeOtherValues(environment);
        }

        @Override
        public void close() {
            foreign.close();
            letGo.run();
        }
    }

    /** @param names {@code tools} of the configuration; what is none of ours is not our business */
    private static List<ToolSpec> built(RuntimeConfig config, WorkspaceConfig workspace, Set<String> names) {
        List<ToolSpec> tools = new ArrayList<>();
        Path folder = config.workspaceFolder();
        List<Path> hidden = List.of(config.configFolder(), config.tokenFolder());
        String output = output(config);
        if (!output.isEmpty() && names.contains("run")) {
            throw new PreflightFailure(
                    "Tools",
                    "tools has run, and a command cannot be kept to output_folder " + output,
                    "Leave one of them out.");
        }
        if (names.stream().anyMatch(FILE_TOOLS::contains)) {
            try {
                FileTools.in(folder, hidden, output, config.workspaceId()).stream()
                        .filter(tool -> names.contains("files") || names.contains(tool.name()))
                        .forEach(tools::add);
            } catch (ToolRefusal wrong) {
                throw new PreflightFailure(
                        "Tools", "output_folder: " + wrong.getMessage(), "Name a folder of the workspace's.");
            } catch (IOException absent) {
                throw new PreflightFailure(
                        "Tools",
                        "the workspace's folder " + folder + " cannot be used",
                        "Set MOLECULE_WORKSPACE_FOLDER.");
            }
        }
        if (names.contains("run")) {
            CommandTool.in(folder, tier(config, workspace), hidden, config.environment())
                    .ifPresent(tools::add);
        }
        if (names.contains(Asking.TOOL.name())) {
            tools.add(Asking.TOOL);
        }
        if (names.contains(Approving.TOOL.name())) {
            tools.add(Approving.TOOL);
        }
        return tools;
    }

    private static Optional<FetchTool> fetch(RuntimeConfig config, WorkspaceConfig workspace, Set<String> names) {
        if (!names.contains("fetch")) {
            return Optional.empty();
        }
        if (tier(config, workspace) < FETCH_TIER_MIN) {
            LOGGER.warn("the tool fetch is off: it wants tier 2");
            return Optional.empty();
        }
        try {
            return Optional.of(FetchTool.reaching(config.environment().getOrDefault(FetchTool.VARIABLE, "")));
        } catch (IllegalArgumentException wrong) {
            throw new PreflightFailure(
                    "Environment", FetchTool.VARIABLE + ": " + wrong.getMessage(), "Correct it, or leave it out.");
        }
    }

    /** The platform's word goes before what the agent's own file says of it. */
    static int tier(RuntimeConfig config, WorkspaceConfig workspace) {
        String given = config.environment().getOrDefault("TIER", "").strip();
        return given.matches("\\d{1,4}") ? Integer.parseInt(given) : workspace.tier();
    }

    private static List<McpServerConfig> servers(
            RuntimeConfig config, WorkspaceConfig workspace, Map<String, String> environment) {
        var reader = new McpServerSettings(environment);
        var own = new Settings(ConfigFile.load(config.configFolder())).section("mcp_servers");
        List<McpServerConfig> servers = new ArrayList<>(reader.read(own));
        Path shared = Path.of(config.environment().getOrDefault("PLUGINS_DIR", "/plugins"));
        for (Plugin plugin : Abilities.read(config.configFolder(), shared, List.of(), workspace.runtime())
                .plugins()) {
            for (McpServerConfig server : servers(reader, plugin)) {
                boolean known = servers.stream().anyMatch(other -> other.name().equals(server.name()));
                if (!known && servers.size() < McpServerSettings.SERVERS_MAX) {
                    servers.add(server);
                }
            }
        }
        return servers;
    }

    private static List<McpServerConfig> servers(McpServerSettings reader, Plugin plugin) {
        try {
            return reader.read(Settings.of("", plugin.mcpServers()));
        } catch (PreflightFailure wrong) {
            LOGGER.atWarn()
                    .addKeyValue("plugin", plugin.name())
                    .addKeyValue("reason", wrong.getMessage())
                    .log("MCP servers of a plugin are left out");
            return List.of();
        }
    }
}
