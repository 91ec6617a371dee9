package ai.molecule.provisioner.backend;

import ai.molecule.common.workspaces.ReservedVariables;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The whole environment a backend gives an agent: these names, what the place itself sets, who the agent is for git and the like,
 * the memory service outside, and the agent's secrets. The platform's own credentials are never among them. No secret takes a name
 * the platform needs; those of {@link AgentIdentity} and of the memory service it may.
 *
 * @param place what only the backend knows, such as {@code PATH}, {@code HOME}, a lifeline
 * @param configs the configs folder, as the agent sees it
 * @param platformUrl the front door, as the agent reaches it
 * @param host the address the agent listens on
 * @param heartbeat how often it shall say that it lives
 */
public record AgentEnvironment(
        Map<String, String> place, String configs, String platformUrl, String host, Duration heartbeat) {

    /** The secret that holds the model somebody chose for it (registry contract, 12). */
    private static final String MODEL = "MODEL_PROVIDER";

    /** Half of what Linux gives a process for its arguments and environment together. */
    private static final int SECRETS_MAX_BYTES = 1024 * 1024;

    /**
     * Everything. Fails with {@link StartRefused} when the secrets do not fit.
     *
     * @param port where the agent listens, as it sees it
     */
    public Map<String, String> of(Launch launch, int port) {
        var env = withoutSecrets(launch, port);
        env.putAll(secretsOf(launch));
        return env;
    }

    /** What everybody may see. */
    public Map<String, String> withoutSecrets(Launch launch, int port) {
        var workspace = launch.workspace();
        Map<String, String> env = new TreeMap<>(AgentIdentity.of(workspace));
        if (launch.awarenessUrl() != null) {
            env.put("AWARENESS_URL", launch.awarenessUrl());
            env.put("AWARENESS_NAMESPACE", "workspace:" + workspace.id()); // as the registry keeps it
        }
        env.keySet().removeAll(secretsOf(launch).keySet());
        env.putAll(place);
        env.put("WORKSPACE_ID", workspace.id().toString());
        env.put("WORKSPACE_CONFIG_PATH", configs);
        env.put("CONFIGS_DIR", configs);
        env.putAll(ModelVariables.addresses(launch.secrets(), platformUrl));
        env.put("PLATFORM_URL", platformUrl);
        env.put("MOLECULE_URL", platformUrl);
        if (launch.orgId() != null) {
            env.put("MOLECULE_ORG_ID", launch.orgId());
        }
        env.putAll(launch.told());
        env.put("TIER", String.valueOf(workspace.tier()));
        env.put("MOLECULE_RUNTIME", Adapters.canonical(workspace.runtime()));
        env.put("MOLECULE_ADAPTER", Adapters.of(workspace.runtime()));
        env.put("MOLECULE_AGENT_HOST", host);
        env.put("MOLECULE_AGENT_PORT", String.valueOf(port));
        env.put("MOLECULE_HEARTBEAT_SECONDS", String.valueOf(heartbeat.toSeconds()));
        env.put("MOLECULE_INCARNATION", String.valueOf(workspace.incarnation()));
        if (workspace.parentId() != null) {
            env.put("PARENT_ID", workspace.parentId().toString());
        }
        return env;
    }

    /** The secrets that an agent gets: not those whose names the platform itself sets. Fails with {@link StartRefused} when they are too long. */
    public static Map<String, String> secretsOf(Launch launch) {
        Map<String, String> secrets = new TreeMap<>();
        long bytes = 0;
        for (var secret : launch.secrets().entrySet()) {
            if (!ReservedVariables.contains(secret.getKey())) {
                bytes += lengthOf(secret.getKey()) + lengthOf(secret.getValue());
                secrets.put(secret.getKey(), secret.getValue());
            }
        }
        if (bytes > SECRETS_MAX_BYTES) {
            throw new StartRefused("its secrets are larger than 1 MiB together");
        }
        String model = secrets.getOrDefault(MODEL, "");
        if (launch.workspace().runtime().equals("hermes") && !model.isBlank()) {
            secrets.putIfAbsent(AgentIdentity.HERMES_MODEL, model); // chosen later than the one it was created with
        }
        return secrets;
    }

    private static int lengthOf(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
