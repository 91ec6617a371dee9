package ai.molecule.proxy.activity;

import java.time.Duration;

/**
 * How much activity may wait to be written down.
 *
 * @param rowsMax rows waiting before new calls are held back
 * @param charsMax characters of bodies waiting before new calls are held back
 * @param patience how long a call is held back before it is refused, undelivered
 */
public record ActivityLimits(int rowsMax, long charsMax, Duration patience) {

    /**
     * Half a second of rows at the target of 8,000 calls per second, 64 Mi characters for bodies, and a wait a person still
     * understands.
     */
    public static final ActivityLimits DEFAULT = new ActivityLimits(4096, 64L << 20, Duration.ofSeconds(10));
}
