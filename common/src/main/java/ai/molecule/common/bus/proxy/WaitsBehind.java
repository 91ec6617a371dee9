package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How much cannot go on until a person does something about an agent. Called by events-service for the inbox, which goes without where there is no
 * answer in time. Reads only.
 *
 * @param held at most 200
 */
public record WaitsBehind(List<Held> held) {

    public static final int HELD_MAX = 200;

    /** Of each no more are counted. */
    public static final int COUNTED_MAX = 1_000;

    private static final Duration DEADLINE = Duration.ofMillis(500);

    public static final Contract<WaitsBehind, Behind> CONTRACT =
            new Contract<>("proxy.waits-behind", WaitsBehind.class, Behind.class, DEADLINE, true);

    /**
     * Something that waits for a person.
     *
     * @param id the asker's own
     * @param task of the agent that waits, as it names it, or the message it began with: what others wait for; null: all that the agent is at,
     *     or that waits for it, cannot go on
     * @param workId a piece of work that cannot go on; null for none in particular
     */
    public record Held(
            UUID id,
            UUID workspaceId,
            @Nullable String task,
            @Nullable UUID workId) {}

    /**
     * @param tasks that wait, of whichever agent; the one that is asked about is not among them
     * @param works of people that these tasks and that one are for
     */
    public record Count(UUID id, int tasks, int works) {}

    /** Those behind which anything waits. */
    public record Behind(List<Count> counts) {}
}
