package ai.molecule.registry.secrets;

import ai.molecule.registry.restarts.PgRestartRequests.Whom;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which agents must be restarted to use what a set of secrets changes. */
enum Rotation {
    /** All that run: there is a secret they did not have, or one that is read at the start alone. */
    RESTARTS_ALL(Whom.ALL),
    /** Those that do not ask for new values by themselves: each secret has only another value. */
    RESTARTS_OTHERS(Whom.ALL_BUT_FOLLOWERS),
    /** None that works: agents do not get the value. The model gateway uses it, and reads it again within seconds. */
    RESTARTS_NOBODY(Whom.TROUBLED);

    private final Whom whom;

    Rotation(Whom whom) {
        this.whom = whom;
    }

    Whom whom() {
        return whom;
    }

    /** What the platform or an agent's runtime reads by name when the agent starts. */
    private static final Set<String> READ_AT_START = Set.of(ModelRoutes.KEY, "AGENT_URL", "AGENT_SNAPSHOT_PATH");

    private static final List<String> READ_AT_START_PREFIXES =
            List.of("MOLECULE_", "WORKSPACE_", "HERMES_", "DELEGATION_", "GIT_");

    /**
     * Of one secret.
     *
     * @param before what it was; null where there was none, or it cannot be opened
     * @param ofProvider whether it is a key or an address of a provider of models, of which agents learn whether it is blank and no more
     */
    static Rotation of(@Nullable Secret before, Secret after, boolean ofProvider) {
        if (before == null || isReadAtStart(after.key())) {
            return RESTARTS_ALL;
        }
        if (ofProvider) {
            return isThere(before) && isThere(after) ? RESTARTS_NOBODY : RESTARTS_ALL;
        }
        return RESTARTS_OTHERS;
    }

    /** Of both together. */
    Rotation and(Rotation other) {
        return compareTo(other) <= 0 ? this : other;
    }

    /** Of a reference nobody knows what stands there. */
    private static boolean isThere(Secret secret) {
        return !secret.isReference() && !secret.value().isBlank();
    }

    private static boolean isReadAtStart(String key) {
        return READ_AT_START.contains(key) || READ_AT_START_PREFIXES.stream().anyMatch(key::startsWith);
    }
}
