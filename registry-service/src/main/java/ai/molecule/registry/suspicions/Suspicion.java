package ai.molecule.registry.suspicions;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * An agent of ours that is offline for its silence. Pure: what to do follows from what is known and the time.
 *
 * @param url where it listens, as our provisioner recorded it
 * @param unanswered probes in a row that nobody answered
 * @param answered whether the last probe was answered
 */
public record Suspicion(
        UUID workspaceId, int incarnation, String url, Instant lastHeardAt, int unanswered, boolean answered) {

    static final int PROBES = 3;
    static final Duration PROBE_MAX = Duration.ofSeconds(2);

    /** An agent that answers but does not heartbeat is left alone this long. */
    static final Duration SILENCE_MAX = Duration.ofMinutes(5);

    /** A restart that was asked for is under way by then, or is asked for again. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(30);

    /** What to do now. */
    enum Step {
        PROBE,
        WAIT,
        RESTART
    }

    /** @param othersHeard whether silence is this agent's: where nobody is heard, who answers lacks a way to us, not life */
    Step step(Instant now, boolean othersHeard) {
        if (unanswered >= PROBES) {
            return Step.RESTART;
        }
        boolean silentForLong = !lastHeardAt.plus(SILENCE_MAX).isAfter(now);
        if (!answered || (silentForLong && !othersHeard)) {
            return Step.PROBE;
        }
        return silentForLong ? Step.RESTART : Step.WAIT;
    }

    Suspicion probed(boolean answer) {
        return new Suspicion(workspaceId, incarnation, url, lastHeardAt, answer ? 0 : unanswered + 1, answer);
    }

    /** From the beginning of one probe to that of the next: three are done within a third of the TTL, 20 s of 60. */
    static Duration probeEvery(Duration ttl) {
        return ttl.multipliedBy(3).dividedBy(20);
    }

    private Instant afterAnswer(Instant now) {
        var silentForLong = lastHeardAt.plus(SILENCE_MAX);
        return silentForLong.isAfter(now) ? silentForLong : now.plus(ASK_AGAIN);
    }

    /** When to look again after a step that began at {@code now}. */
    Instant due(Step taken, Instant now, Duration probeEvery) {
        return switch (taken) {
            case RESTART -> now.plus(ASK_AGAIN);
            case WAIT -> lastHeardAt.plus(SILENCE_MAX);
            case PROBE -> answered ? afterAnswer(now) : unanswered >= PROBES ? now : now.plus(probeEvery);
        };
    }
}
