package ai.molecule.proxy.streams;

import java.time.Duration;

/**
 * Bounds of one stream on its way through.
 *
 * @param idle how long an agent may be silent
 * @param longest how long a stream may last
 * @param keepAlive how often a silent stream is commented
 * @param eventMaxBytes of one event
 * @param eventsMaxBytes of what all streams hold of events, together; of more, those that hold most are ended
 */
public record RelayLimits(
        Duration idle, Duration longest, Duration keepAlive, int eventMaxBytes, long eventsMaxBytes) {}
