package ai.molecule.proxy.activity;

import java.time.Duration;

/**
 * How much may wait to be written down.
 *
 * @param rowsMax rows waiting before new calls are held back
 * @param bytesMax of answers that are being read and of bodies waiting, together; beyond, new calls and answers are held back
 * @param patience how long they are held back before they are refused
 */
public record ActivityLimits(int rowsMax, long bytesMax, Duration patience) {

    /** Half a second of rows at the target of 8,000 calls per second, 64 MiB, and a wait a person still understands. */
    public static final ActivityLimits DEFAULT = new ActivityLimits(4096, 64L << 20, Duration.ofSeconds(10));
}
