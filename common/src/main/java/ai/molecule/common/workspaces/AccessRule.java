package ai.molecule.common.workspaces;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who may talk to whom, decided from the org chart alone (decision 1): oneself, siblings, roots among themselves, and parent
 * and child. Everything else is denied, grandparents included.
 *
 * @param parents each known workspace with its parent; an empty optional marks a root. Workspaces missing here are unknown.
 */
public record AccessRule(Map<UUID, Optional<UUID>> parents) {

    /** Whether the two may talk; with an unknown party only when both are the same. */
    public boolean allows(UUID caller, UUID target) {
        if (caller.equals(target)) {
            return true;
        }
        var callerParent = parents.get(caller);
        var targetParent = parents.get(target);
        return callerParent != null
                && targetParent != null
                && related(caller, callerParent.orElse(null), target, targetParent.orElse(null));
    }

    /** The rule itself, for two known workspaces that differ. */
    public static boolean related(UUID caller, @Nullable UUID callerParent, UUID target, @Nullable UUID targetParent) {
        boolean siblings = callerParent == null ? targetParent == null : callerParent.equals(targetParent);
        return siblings || caller.equals(targetParent) || target.equals(callerParent);
    }
}
