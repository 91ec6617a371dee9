package ai.molecule.proxy.activity;

import java.time.Clock;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Row ids that grow with time (RFC 9562, version 7), so that an index is written at its end. */
public final class RowIds {

    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final Clock clock;
    private final RandomGenerator random;

    public RowIds(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    public UUID next() {
        long high = clock.millis() << 16 | VERSION_7 | random.nextInt(0x1000);
        return new UUID(high, random.nextLong() >>> 2 | VARIANT);
    }
}
