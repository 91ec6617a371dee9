package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What an agent is to be told in confidence, decrypted: the global secrets and the workspace's own over them. Called by the
 * provisioner at each start, and when it quotes an agent's log and must leave them out; kept no longer than that. Reads only, so
 * it may be repeated. Fails with NOT_FOUND for an unknown or removed workspace.
 */
public record SecretsFor(UUID workspaceId) {

    public static final Contract<SecretsFor, Bundle> CONTRACT =
            Contract.of("registry.secrets-for", SecretsFor.class, Bundle.class);

    /**
     * All of them or none.
     *
     * @param values by key; empty when any could not be decrypted
     * @param failedKeys what could not be decrypted, as {@code global:KEY} or {@code workspace:KEY}
     * @param globalKeys those of {@code values} that an administrator gave to all, and not the workspace to itself
     */
    public record Bundle(Map<String, String> values, List<String> failedKeys, Set<String> globalKeys) {

        /** All of them the workspace's own. */
        public Bundle(Map<String, String> values, List<String> failedKeys) {
            this(values, failedKeys, Set.of());
        }

        /** Without the values: a bundle may end up in a log. */
        @Override
        public String toString() {
            return "Bundle[keys=%s, failedKeys=%s]".formatted(values.keySet(), failedKeys);
        }
    }
}
