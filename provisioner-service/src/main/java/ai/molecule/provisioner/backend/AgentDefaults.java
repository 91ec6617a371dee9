package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.config.Env;
import ai.molecule.common.workspaces.LentFolder;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the platform's owner gives every agent that has nothing of its own (registry contract, 12).
 *
 * @param awarenessUrl {@code AWARENESS_URL}: a memory service outside the platform, http or https; null for none
 * @param workspaceDir {@code WORKSPACE_DIR}: the folder lent to workspaces whose {@code workspace_access} asks for one and that
 *     name none; null for none
 * @param orgId {@code MOLECULE_ORG_ID}: what the platform asks every request to name; null for none
 * @param lendable what may be lent at all
 */
public record AgentDefaults(
        @Nullable String awarenessUrl,
        @Nullable String workspaceDir,
        @Nullable String orgId,
        LentFolders lendable) {

    public static final AgentDefaults NONE = new AgentDefaults(null, null);

    public AgentDefaults(@Nullable String awarenessUrl, @Nullable String workspaceDir) {
        this(awarenessUrl, workspaceDir, null, LentFolders.ANY);
    }

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static AgentDefaults fromEnv(Env env) {
        return new AgentDefaults(
                url(env.find("AWARENESS_URL")),
                folder(env.find("WORKSPACE_DIR")),
                env.find("MOLECULE_ORG_ID"),
                LentFolders.fromEnv(env));
    }

    /** A start with them. Fails with {@link StartRefused} when the folder it works in is not to be lent. */
    public Launch launch(ManagedWorkspace workspace, int port, String token, Map<String, String> secrets) {
        var lent = workspaceDir != null && workspace.workspaceDir() == null
                ? workspace.withWorkspaceDir(workspaceDir)
                : workspace;
        lendable.check(lent);
        return new Launch(lent, port, token, secrets, awarenessUrl, orgId);
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
