package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One start: for whom, where it listens, the token it proves itself with, and what it is told in confidence.
 *
 * @param workspace as the registry described it; its incarnation is the start's
 * @param port where the agent shall listen
 * @param token the agent's bearer in clear
 * @param secrets by name, for its environment
 * @param awarenessUrl of a memory service outside the platform; null for none
 * @param orgId the organisation it names in its requests; null where the platform has no name
 * @param told what the operator tells every agent, by variable; no secret says otherwise
 * @param initial what the backend lays itself; null when the files are there already
 */
public record Launch(
        ManagedWorkspace workspace,
        int port,
        String token,
        Map<String, String> secrets,
        @Nullable String awarenessUrl,
        @Nullable String orgId,
        Map<String, String> told,
        @Nullable InitialFiles initial) {

    /** Of a workspace whose files are there. */
    public Launch(
            ManagedWorkspace workspace,
            int port,
            String token,
            Map<String, String> secrets,
            @Nullable String awarenessUrl,
            @Nullable String orgId) {
        this(workspace, port, token, secrets, awarenessUrl, orgId, Map.of(), null);
    }

    public Launch laying(InitialFiles files) {
        return new Launch(workspace, port, token, secrets, awarenessUrl, orgId, told, files);
    }

    /** Without a memory service, on a platform without a name. */
    public Launch(ManagedWorkspace workspace, int port, String token, Map<String, String> secrets) {
        this(workspace, port, token, secrets, null, null);
    }

    /** Without the token and the secrets: a launch may end up in a log. */
    @Override
    public String toString() {
        return "Launch[workspace=%s, incarnation=%d, port=%d]".formatted(workspace.id(), workspace.incarnation(), port);
    }
}
