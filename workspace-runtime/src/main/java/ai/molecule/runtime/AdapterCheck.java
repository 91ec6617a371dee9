package ai.molecule.runtime;

import ai.molecule.runtime.adapter.AdapterTrial;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts the agent of a folder as a workspace would, without a platform, and tries its adapter. */
public final class AdapterCheck {

    /** Where nothing listens: an adapter works without what the platform would say. */
    private static final String NO_PLATFORM = "http://127.0.0.1:1";

    private AdapterCheck() {}

    /** @throws PreflightFailure when the agent cannot start */
    public static List<AdapterTrial.Finding> of(Path folder, Map<String, String> environment) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.put("WORKSPACE_ID", "trial");
        variables.put("WORKSPACE_CONFIG_PATH", folder.toAbsolutePath().toString());
        variables.putIfAbsent(
                "MOLECULE_WORKSPACE_FOLDER", folder.toAbsolutePath().toString());
        variables.put("PLATFORM_URL", NO_PLATFORM);
        var config = RuntimeConfig.fromEnv(variables);
        var workspace = config.appliedTo(WorkspaceConfig.read(folder));
        Preflight.check(workspace, folder, variables);
        var platform = new PlatformClient(ClientConfig.of("trial", NO_PLATFORM, config.tokens()));
        AgentExecutor agent = AgentKinds.create(config, workspace, platform);
        return AdapterTrial.of(agent);
    }
}
