package ai.molecule.proxy.schedules;

import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.Leased;
import java.time.Instant;
import java.util.UUID;

/**
 * A schedule whose tick is due, in this replica's hands.
 *
 * @param claim proves that it still is
 * @param now by the database's clock, when it was claimed
 */
record DueSchedule(Schedule schedule, long claim, Instant now) implements Leased {

    UUID id() {
        return schedule.id();
    }

    @Override
    public Claim held() {
        return new Claim(id(), claim);
    }
}
