package ai.molecule.common.bus.events;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who called whom since then, and how, as activity tells it. Called by the registry, which tries rules on it. Reads only; fails with
 * UNAVAILABLE where it takes longer than a search may.
 */
public record CallsSince(Instant since) {

    /** Of different callers, targets and methods together, the latest. */
    public static final int DIFFERENT_MAX = 5_000;

    public static final Contract<CallsSince, Calls> CONTRACT =
            Contract.reading("events.calls-since", CallsSince.class, Calls.class);

    /**
     * Calls alike.
     *
     * @param caller null for people
     * @param method empty where none was said
     */
    public record Alike(@Nullable UUID caller, UUID target, String method, long times, Instant last) {}

    /** @param more whether there were more of them than {@value CallsSince#DIFFERENT_MAX} */
    public record Calls(List<Alike> calls, boolean more) {}
}
