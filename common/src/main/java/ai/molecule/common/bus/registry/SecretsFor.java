package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is to be told in confidence, decrypted: the global secrets and the workspace's own over them. Called by the
 * provisioner at each start, and when it quotes an agent's log and must leave them out, and by the model gateway; kept no longer than that.
 * It may be repeated. Fails with NOT_FOUND for an unknown or removed workspace, and with UNAVAILABLE and {@code failed_keys} where a value
 * stands in a store outside and that did not give it.
 *
 * @param purpose what for; null, as older services say it, for {@link Purpose#START}
 */
public record SecretsFor(UUID workspaceId, @Nullable Purpose purpose) {

    /** Why somebody asks. */
    public enum Purpose {
        /** An agent starts, and gets them all. */
        START,
        /** The model gateway wants those of providers: the others are left out. */
        MODELS,
        /** They are to be left out of what is quoted, and are handed to nobody. */
        MASK
    }

    /** For a start. */
    public SecretsFor(UUID workspaceId) {
        this(workspaceId, null);
    }

    public static final Contract<SecretsFor, Bundle> CONTRACT =
            Contract.of("registry.secrets-for", SecretsFor.class, Bundle.class);

    private static final int ORGANISATION = 2;

    /**
     * All of them or none.
     *
     * @param values by key; empty when any could not be decrypted
     * @param failedKeys what could not be decrypted, as {@code global:KEY} or {@code workspace:KEY}
     * @param globalKeys those of {@code values} that an administrator gave to all, and not the workspace to itself
     * @param setBy with which right each of the others was set: 0 the agent's own, 1 that of a branch or tenant, 2 the organization's; null from
     *     a registry that does not know
     */
    public record Bundle(
            Map<String, String> values,
            List<String> failedKeys,
            Set<String> globalKeys,
            @Nullable Map<String, Integer> setBy) {

        /** All of them the workspace's own. */
        public Bundle(Map<String, String> values, List<String> failedKeys) {
            this(values, failedKeys, Set.of(), Map.of());
        }

        /** Whether the one was set with a lower right than the other, so that it must not decide where that goes. */
        public boolean isSetByLess(String one, String other) {
            return setBy != null && rank(one) < rank(other);
        }

        private int rank(String key) {
            return setBy == null ? ORGANISATION : setBy.getOrDefault(key, ORGANISATION);
        }

        /** Without the values: a bundle may end up in a log. */
        @Override
        public String toString() {
            return "Bundle[keys=%s, failedKeys=%s]".formatted(values.keySet(), failedKeys);
        }
    }
}
