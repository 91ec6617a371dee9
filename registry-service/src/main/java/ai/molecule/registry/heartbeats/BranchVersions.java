package ai.molecule.registry.heartbeats;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The newest change of who may talk to whom, by branch: a workspace and its children, named by it, and the roots. Remembered, so that a
 * heartbeat asks for nothing, and as right as if it had asked: each group of heartbeats first {@linkplain #heard hears} what was committed
 * since the one before. To be used on one event loop, one group after the other.
 */
final class BranchVersions {

    /** What names the branch of the roots. */
    static final UUID ROOTS = new UUID(0, 0);

    /** So many changes since the group before are heard one by one; beyond that all that was remembered is asked for again. */
    static final int HEARD_MAX = 64;

    /** Twice as many as there may be workspaces by default; about 100 bytes each. */
    private static final int REMEMBERED_MAX = 200_000;

    /** Nothing is remembered yet, and so nothing to be heard of. */
    private static final long NOTHING_BEFORE = Long.MAX_VALUE;

    /** A change of a branch. */
    record Change(UUID branch, long number) {}

    private final Cache<UUID, Long> newest = Caffeine.newBuilder()
            .maximumSize(REMEMBERED_MAX)
            .executor(Runnable::run)
            .build();
    private long since = NOTHING_BEFORE;

    /** What began in or after this transaction may be unheard of. */
    long since() {
        return since;
    }

    /**
     * Takes what was read in one snapshot.
     *
     * @param changes of transactions from {@link #since} on, one more than {@link #HEARD_MAX} where there were more; known ones too
     * @param open the oldest transaction that was open then
     */
    void heard(List<Change> changes, long open) {
        boolean restored = since != NOTHING_BEFORE && open < since; // another past than the one that is remembered
        if (restored || changes.size() > HEARD_MAX) {
            newest.invalidateAll();
        }
        // What is not remembered is asked for when it is wanted: there may be a newer change than this one.
        changes.forEach(change ->
                newest.asMap().computeIfPresent(change.branch, (branch, known) -> Math.max(known, change.number)));
        since = open;
    }

    /** Those of the branches they belong to that have to be asked for. */
    Set<UUID> unknown(Map<UUID, PgHeartbeatStore.Standing> standings) {
        Set<UUID> unknown = new TreeSet<>();
        standings.forEach((id, standing) -> {
            addUnknown(id, unknown);
            addUnknown(parentOf(standing.parentId()), unknown);
        });
        return unknown;
    }

    private void addUnknown(UUID branch, Set<UUID> unknown) {
        if (newest.getIfPresent(branch) == null) {
            unknown.add(branch);
        }
    }

    /** What was read later than the last {@link #heard}; 0 for a branch of which no change is kept. */
    void learned(Collection<Change> changes) {
        changes.forEach(change -> newest.put(change.branch, change.number));
    }

    /** The newest change of the two branches it belongs to. */
    long of(UUID workspace, @Nullable UUID parent) {
        return Math.max(of(workspace), of(parentOf(parent)));
    }

    private long of(UUID branch) {
        Long known = newest.getIfPresent(branch);
        return known == null ? 0 : known;
    }

    private static UUID parentOf(@Nullable UUID parent) {
        return parent == null ? ROOTS : parent;
    }
}
