package ai.molecule.runtime;

import ai.molecule.runtime.mcpclient.McpServerConfig;
import ai.molecule.runtime.mcpclient.McpServers;
import ai.molecule.runtime.skills.Abilities;
import ai.molecule.runtime.skills.Plugin;
import ai.molecule.runtime.tools.ToolSource;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a model is given beside the platform's tools, by {@code config.yaml} and by plugins. Nothing of it is loaded where nothing is configured. */
final class OwnTools {

    private static final Logger LOGGER = LoggerFactory.getLogger(OwnTools.class);

    private OwnTools() {}

    /** @throws PreflightFailure when {@code config.yaml} is wrong; what is wrong with a plugin is logged, and left out */
    static ToolSource of(RuntimeConfig config, WorkspaceConfig workspace) {
        List<McpServerConfig> servers = servers(config, workspace);
        return servers.isEmpty()
                ? ToolSource.NONE
                : McpServers.connect(servers, config.workspaceFolder(), Clock.systemUTC());
    }

    private static List<McpServerConfig> servers(RuntimeConfig config, WorkspaceConfig workspace) {
        var reader = new McpServerSettings(config.environment());
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
