package ai.molecule.events.hub;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;

/**
 * What a subscriber looks at: of these workspaces it hears every event, of all others a {@link Digest} now and then.
 *
 * @param workspaces at most {@link #WORKSPACES_MAX}; whether they exist is not asked
 * @param every between two digests; one of {@link #INTERVALS_MILLIS}, so that those who look share few
 */
public record View(Set<UUID> workspaces, Duration every) {

    /** More than a screen shows; as ids they fit a frame of 64 KiB. */
    public static final int WORKSPACES_MAX = 1_000;

    static final long[] INTERVALS_MILLIS = {100, 250, 500, 1_000, 2_500, 5_000, 10_000};

    public View {
        if (workspaces.size() > WORKSPACES_MAX) {
            throw new IllegalArgumentException("more than " + WORKSPACES_MAX + " workspaces");
        }
        workspaces = Set.copyOf(workspaces);
        every = Duration.ofMillis(atLeast(every.toMillis()));
    }

    private static long atLeast(long wanted) {
        for (long millis : INTERVALS_MILLIS) {
            if (millis >= wanted) {
                return millis;
            }
        }
        return INTERVALS_MILLIS[INTERVALS_MILLIS.length - 1];
    }

    /** Whether an event is told as it is. Who is there, and where, everybody must know; so must an event that no digest can tell. */
    boolean shows(Frame frame) {
        var about = frame.event().workspaceId();
        return about == null || workspaces.contains(about) || !Digest.tells(frame.event());
    }
}
