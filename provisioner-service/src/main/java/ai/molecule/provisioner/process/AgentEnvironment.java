package ai.molecule.provisioner.process;

import ai.molecule.common.workspaces.ReservedVariables;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The whole environment of an agent: these names and its secrets, and no others. The platform's own credentials are never among
 * them, and no secret takes one of these names.
 */
final class AgentEnvironment {

    /** Half of what Linux gives a process for its arguments and environment together. */
    private static final int SECRETS_MAX_BYTES = 1024 * 1024;

    private AgentEnvironment() {}

    /** Fails with {@link StartRefused} when the secrets do not fit. */
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
        env.put("PLUGINS_DIR", folder.plugins().toString());
        env.put("PLATFORM_URL", settings.platformUrl());
        env.put("MOLECULE_URL", settings.platformUrl());
        env.put("TIER", String.valueOf(workspace.tier()));
        env.put("MOLECULE_AGENT_HOST", ProcessBackend.HOST);
        env.put("MOLECULE_AGENT_PORT", String.valueOf(launch.port()));
        env.put(
                "MOLECULE_HEARTBEAT_SECONDS",
                String.valueOf(settings.heartbeat().toSeconds()));
        env.put("MOLECULE_INCARNATION", String.valueOf(workspace.incarnation()));
        if (workspace.parentId() != null) {
            env.put("PARENT_ID", workspace.parentId().toString());
        }
        if (settings.lifeline() != null) {
            env.put("MOLECULE_LIFELINE", "stdin");
        }
        addSecrets(env, launch.secrets());
        return env;
    }

    private static void addSecrets(Map<String, String> env, Map<String, String> secrets) {
        long bytes = 0;
        for (var secret : secrets.entrySet()) {
            if (!ReservedVariables.contains(secret.getKey())) {
                bytes += lengthOf(secret.getKey()) + lengthOf(secret.getValue());
                env.put(secret.getKey(), secret.getValue());
            }
        }
        if (bytes > SECRETS_MAX_BYTES) {
            throw new StartRefused("its secrets are larger than 1 MiB together");
        }
    }

    private static int lengthOf(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
