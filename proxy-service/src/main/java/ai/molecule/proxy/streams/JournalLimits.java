package ai.molecule.proxy.streams;

import java.time.Duration;

/**
 * What is kept of a stream, and how long its parts wait for each other.
 *
 * @param age after its end a stream is kept so long
 * @param eventsMax the newest events kept of one stream
 * @param bytesMax of the events kept of one stream
 * @param lease a replica not seen for so long has lost its streams
 * @param tick how often a replica says that it lives, looks for orphans, and reads again what a lost hint would have told
 * @param patience a reader that takes nothing for so long is let go
 */
public record JournalLimits(
        Duration age, int eventsMax, long bytesMax, Duration lease, Duration tick, Duration patience) {

    /** An hour to come back in; 10,000 events and 16 MiB are more than the longest answer of a model. */
    public static final JournalLimits DEFAULT = of(Duration.ofHours(1), 10_000, 16L << 20);

    public static JournalLimits of(Duration age, int eventsMax, long bytesMax) {
        return new JournalLimits(
                age, eventsMax, bytesMax, Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(60));
    }
}
