package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.Map;
import java.util.UUID;

/**
 * Sets secrets of a workspace, all or none; others stay. Called by the import of an organisation. Setting the same again changes
 * nothing but the time, so it may be repeated. Fails with INVALID for a name or value that cannot be one, NOT_FOUND for an unknown
 * or removed workspace and CONFLICT beyond 100 of one workspace.
 *
 * @param values by key, at most 100
 * @param restart whether the agent is restarted to learn of them; false when its start is yet to come
 */
public record SetSecrets(UUID workspaceId, Map<String, String> values, boolean restart) {

    public static final Contract<SetSecrets, Stored> CONTRACT =
            Contract.of("registry.set-secrets", SetSecrets.class, Stored.class);

    /** How many were set. */
    public record Stored(int count) {}

    /** Without the values: a request may end up in a log. */
    @Override
    public String toString() {
        return "SetSecrets[workspaceId=%s, keys=%s, restart=%s]".formatted(workspaceId, values.keySet(), restart);
    }
}
