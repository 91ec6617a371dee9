package ai.molecule.provisioner.plugins.sources;

import java.time.Duration;

/**
 * What one fetch may cost.
 *
 * @param bytesMax of all files together, and of an archive as it is sent
 * @param entriesMax files and folders, links included
 * @param endNanos when it must be over, by {@link System#nanoTime}
 */
public record FetchLimits(long bytesMax, int entriesMax, long endNanos) {

    /** Far more than a plugin holds; a tree of empty files costs inodes instead of bytes. */
    public static final int ENTRIES_MAX = 10_000;

    public static FetchLimits startingNow(long bytesMax, Duration time) {
        return new FetchLimits(bytesMax, ENTRIES_MAX, System.nanoTime() + time.toNanos());
    }

    /** Rounded up, at least 1. */
    long millisLeft() {
        return Math.max(1, (endNanos - System.nanoTime()) / 1_000_000 + 1);
    }

    boolean isOver() {
        return System.nanoTime() - endNanos >= 0;
    }

    /** Fails with TIMED_OUT once it should be over. */
    void checkTime() {
        if (isOver()) {
            throw new FetchFailure(FetchFailure.Kind.TIMED_OUT, "it takes longer than it may");
        }
    }

    FetchFailure tooLarge() {
        return new FetchFailure(
                FetchFailure.Kind.TOO_LARGE, "more than %d bytes or %d entries".formatted(bytesMax, entriesMax));
    }
}
