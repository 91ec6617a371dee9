package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.Launch;
import java.util.Map;
import java.util.TreeMap;

/** The whole environment of an agent: these names and no others. The platform's own credentials are never among them. */
final class AgentEnvironment {

    private AgentEnvironment() {}

    static Map<String, String> of(ProcessSettings settings, AgentFolder folder, Launch launch) {
        var workspace = launch.workspace();
        String configs = folder.configs().toString();
        Map<String, String> env = new TreeMap<>();
        env.put("PATH", settings.path());
        env.put("LANG", settings.lang());
        env.put("HOME", folder.workspace().toString());
        env.put("WORKSPACE_ID", workspace.id().toString());
        env.put("WORKSPACE_CONFIG_PATH", configs);
        env.put("CONFIGS_DIR", configs);
        env.put("PLATFORM_URL", settings.platformUrl());
        env.put("MOLECULE_URL", settings.platformUrl());
        env.put("TIER", String.valueOf(workspace.tier()));
        env.put("MOLECULE_AGENT_HOST", ProcessBackend.HOST);
        env.put("MOLECULE_AGENT_PORT", String.valueOf(launch.port()));
        env.put("MOLECULE_INCARNATION", String.valueOf(workspace.incarnation()));
        if (workspace.parentId() != null) {
            env.put("PARENT_ID", workspace.parentId().toString());
        }
        if (settings.lifeline() != null) {
            env.put("MOLECULE_LIFELINE", "stdin");
        }
        return env;
    }
}
