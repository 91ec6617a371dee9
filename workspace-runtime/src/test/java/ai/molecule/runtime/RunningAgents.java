package ai.molecule.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Whole agents, several in one JVM, on a stand-in platform. */
public final class RunningAgents implements AutoCloseable {

    public final StandInPlatform platform = new StandInPlatform();
    private final Map<String, WorkspaceAgent> agents = new HashMap<>();
    private final Path home;

    public RunningAgents(Path home) throws IOException {
        this.home = home;
    }

    /** Starts an agent on a free port and returns where it listens. */
    public String start(String id, String name, String runtime) throws IOException {
        return start(id, name, runtime, Map.of());
    }

    /** @param more variables of its environment */
    public String start(String id, String name, String runtime, Map<String, String> more) throws IOException {
        Path configs = Files.createDirectories(home.resolve(id));
        Files.writeString(configs.resolve("config.yaml"), "name: " + name + "\nruntime: " + runtime + "\n");
        Map<String, String> environment = new HashMap<>(Map.of(
                "WORKSPACE_ID",
                id,
                "WORKSPACE_CONFIG_PATH",
                configs.toString(),
                "MOLECULE_WORKSPACE_FOLDER",
                configs.toString(),
                "PLATFORM_URL",
                platform.url(),
                "MOLECULE_AGENT_PORT",
                "0"));
        environment.putAll(more);
        var config = RuntimeConfig.fromEnv(environment);
        var agent = WorkspaceAgent.start(config, WorkspaceConfig.read(configs));
        agents.put(id, agent);
        return agent.url();
    }

    public void stop(String id) {
        var agent = agents.remove(id);
        if (agent != null) {
            agent.close();
        }
    }

    @Override
    public void close() {
        agents.values().forEach(WorkspaceAgent::close);
        platform.close();
    }
}
