package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.Instant;

/** How many pieces of work ended in a time, and what models cost in it. Called by events-service for the digest of a day. Reads only. */
public record WorkBetween(Instant from, Instant to) {

    public static final Contract<WorkBetween, Sum> CONTRACT =
            Contract.reading("proxy.work-between", WorkBetween.class, Sum.class);

    /** @param costMicros of the calls that have a price, whatever they were for, in millionths of a dollar */
    public record Sum(int done, int stopped, int failed, long costMicros) {}
}
