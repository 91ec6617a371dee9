package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.common.workspaces.LentFolder;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the platform's owner gives every agent that has nothing of its own (registry contract, 12).
 *
 * @param awarenessUrl {@code AWARENESS_URL}: a memory service outside the platform, http or https; null for none
 * @param workspaceDir {@code WORKSPACE_DIR}: the folder lent to workspaces whose {@code workspace_access} asks for one and that
 *     name none; null for none
 * @param orgId {@code MOLECULE_ORG_ID}: what the platform asks every request to name; null for none
 * @param told what every agent is told as it stands: {@code MOLECULE_FETCH_NETWORKS}, networks beside the public ones that agents' tool {@code
 *     fetch} may reach, and {@code MOLECULE_A2A_REQUIRE_TOKEN}, what whoever calls an agent must show, in production a pair token
 * @param lendable what may be lent at all
 * @param providers whose keys no agent gets, with the file that {@code MOLECULE_PROVIDERS} names
 */
public record AgentDefaults(
        @Nullable String awarenessUrl,
        @Nullable String workspaceDir,
        @Nullable String orgId,
        Map<String, String> told,
        LentFolders lendable,
        ProviderTable providers) {

    private static final String FETCH_NETWORKS = "MOLECULE_FETCH_NETWORKS";
    private static final String REQUIRE_TOKEN = "MOLECULE_A2A_REQUIRE_TOKEN";
    private static final Set<String> PROOFS = Set.of("pair", "true", "false");

    public static final AgentDefaults NONE = new AgentDefaults(null, null);

    public AgentDefaults(@Nullable String awarenessUrl, @Nullable String workspaceDir) {
        this(awarenessUrl, workspaceDir, null, Map.of(), LentFolders.ANY, ProviderTable.shipped());
    }

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static AgentDefaults fromEnv(Env env, Environment environment) {
        return new AgentDefaults(
                url(env.find("AWARENESS_URL")),
                folder(env.find("WORKSPACE_DIR")),
                env.find("MOLECULE_ORG_ID"),
                told(env, environment),
                LentFolders.fromEnv(env),
                ProviderTable.fromEnv(env));
    }

    /** A start with them, and with the model door in the place of providers' keys. Fails with {@link StartRefused} when the folder it works in is not to be lent. */
    public Launch launch(ManagedWorkspace workspace, int port, String token, Map<String, String> secrets) {
        var lent = workspaceDir != null && workspace.workspaceDir() == null
                ? workspace.withWorkspaceDir(workspaceDir)
                : workspace;
        lendable.check(lent);
        return new Launch(
                lent,
                port,
                token,
                ModelVariables.inPlaceOf(secrets, providers, token),
                awarenessUrl,
                orgId,
                told,
                null);
    }

    /** What {@code required_env} is judged by: the secrets there are, and those of providers that nobody asks while recordings answer. */
    public Map<String, String> whatIsGiven(Map<String, String> secrets) {
        if (!providers.isReplayed()) {
            return secrets;
        }
        Map<String, String> given = new HashMap<>(secrets);
        providers.secrets().forEach(name -> given.putIfAbsent(name, "recorded"));
        return given;
    }

    private static Map<String, String> told(Env env, Environment environment) {
        Map<String, String> told = new HashMap<>();
        for (String variable : List.of(FETCH_NETWORKS, REQUIRE_TOKEN)) {
            String value = env.find(variable);
            if (value != null) {
                told.put(variable, value);
            }
        }
        if (environment == Environment.PRODUCTION) {
            told.putIfAbsent(REQUIRE_TOKEN, "pair");
        }
        if (!PROOFS.contains(told.getOrDefault(REQUIRE_TOKEN, "pair"))) {
            throw new IllegalArgumentException(REQUIRE_TOKEN + " must be pair, true or false");
        }
        return Map.copyOf(told);
    }

    private static @Nullable String url(@Nullable String value) {
        if (value != null && !isHttp(value)) {
            throw new IllegalArgumentException("AWARENESS_URL must be an http or https URL");
        }
        return value;
    }

    private static boolean isHttp(String value) {
        try {
            var url = URI.create(value);
            return url.getHost() != null && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()));
        } catch (IllegalArgumentException noUrl) {
            return false;
        }
    }

    private static @Nullable String folder(@Nullable String value) {
        if (value != null && !LentFolder.isAllowed(value)) {
            throw new IllegalArgumentException("WORKSPACE_DIR must be an absolute folder and none of the system's");
        }
        return value;
    }
}
