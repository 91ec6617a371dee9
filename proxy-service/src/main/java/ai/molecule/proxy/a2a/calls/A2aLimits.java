package ai.molecule.proxy.a2a.calls;

import ai.molecule.proxy.streams.RelayLimits;
import java.time.Duration;

/**
 * Time and size of one A2A call (decision 12).
 *
 * @param callerWait how long a caller waits for the answer
 * @param selfWait the same for a workspace that calls itself: its own prompts run long
 * @param callerWaitMax the most that {@code X-Timeout} may ask for
 * @param upstream how long the agent may work before the call is given up
 * @param connect how long a connection may take; within a data centre a SYN and two retransmits
 * @param streamIdle how long a stream may be silent
 * @param keepAlive how often a silent stream is commented, below the 30 to 60 s after which proxies on the way give up
 * @param engineWait how long the engine may take to say whether a process lives
 * @param comeBack how long an agent of ours that ended in the middle of a call may take to be reached again
 * @param requestMaxBytes answered 413 beyond
 * @param responseMaxBytes of an answer, and of one event of a stream
 * @param callsMaxBytes of the messages at their agents, together, also of those that are answered by a stream; answered 503 beyond
 * @param eventsMaxBytes of what all streams hold of events; of more, those that hold most are ended
 */
public record A2aLimits(
        Duration callerWait,
        Duration selfWait,
        Duration callerWaitMax,
        Duration upstream,
        Duration connect,
        Duration streamIdle,
        Duration keepAlive,
        Duration engineWait,
        Duration comeBack,
        int requestMaxBytes,
        int responseMaxBytes,
        long callsMaxBytes,
        long eventsMaxBytes) {

    private static final long PART_MIN_BYTES = 32L * 1024 * 1024;
    private static final int PARTS_OF_HEAP = 8;

    public static final A2aLimits DEFAULT = of(Duration.ofSeconds(120), Duration.ofMinutes(30));

    public static A2aLimits of(Duration callerWait, Duration upstream) {
        return new A2aLimits(
                callerWait,
                Duration.ofSeconds(600),
                Duration.ofSeconds(1800),
                upstream,
                Duration.ofSeconds(5),
                Duration.ofSeconds(120),
                Duration.ofSeconds(15),
                Duration.ofSeconds(2),
                Duration.ofSeconds(60),
                1024 * 1024,
                10 * 1024 * 1024,
                partOfHeap(),
                partOfHeap());
    }

    private static long partOfHeap() {
        return Math.max(PART_MIN_BYTES, Runtime.getRuntime().maxMemory() / PARTS_OF_HEAP);
    }

    public RelayLimits relay() {
        return new RelayLimits(streamIdle, upstream, keepAlive, responseMaxBytes, eventsMaxBytes);
    }
}
