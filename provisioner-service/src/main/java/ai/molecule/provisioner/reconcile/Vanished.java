package ai.molecule.provisioner.reconcile;

import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many workspaces have files here and are not listed by the registry, as the last sweep found them. One is a deletion that nobody
 * heard of; many at once are another database, or one that was set back, and then no files are deleted. Safe for any thread.
 */
final class Vanished {

    /** So many may always be what it looks like. */
    static final int FEW = 2;

    /** More than that are doubted, however many are listed. */
    static final int MANY = 20;

    private static final Logger LOGGER = LoggerFactory.getLogger(Vanished.class);

    private final Predicate<UUID> purged;

    /** Until the first sweep nothing is known. */
    private volatile boolean many = true;

    private volatile @Nullable String says;

    /** @param purged whether the registry said of a workspace that somebody deleted it for good */
    Vanished(Predicate<UUID> purged) {
        this.purged = purged;
    }

    boolean areMany() {
        return many;
    }

    /** Whether somebody deleted it for good. */
    boolean isPurged(UUID workspaceId) {
        return purged.test(workspaceId);
    }

    /**
     * @param kept how many workspaces have files here
     * @param unlisted those of them that the registry does not list
     * @return what a person should know; null when nothing is wrong
     */
    @Nullable
    String look(int kept, Set<UUID> unlisted) {
        long vanished = unlisted.stream().filter(purged.negate()).count();
        many = vanished > FEW && (vanished > MANY || vanished * 2 >= kept);
        String now = many
                ? ("%d of %d agents that have files here are in no row of this database, so their files are kept. If DATABASE_URL names another"
                                + " database or an older copy, correct it. Otherwise delete the files that nobody needs (docs/operations.md)")
                        .formatted(vanished, kept)
                : null;
        if (now != null && says == null) {
            LOGGER.atWarn().log("{}", now);
        }
        says = now;
        return now;
    }
}
