package ai.molecule.proxy.schedules;

import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.LeaseStore;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Schedules as their runner sees them. */
public interface ScheduleStore extends LeaseStore<DueSchedule> {

    /**
     * Fires what the plan says and sets the next tick, all of it or nothing, and gives the claim back.
     *
     * @return messages that the new runs took the place of, at their agent by now; empty when the claim was not held any more
     */
    Future<Optional<List<ReplacedMessage>>> fire(DueSchedule due, TickPlan plan);

    /** Switches off what belongs to a removed workspace, and gives the claim back. */
    Future<Boolean> disable(Claim claim, String why);

    /** Of a workspace that there is not any more. */
    Future<Boolean> forget(Claim claim);

    /** A run whose place another one took. */
    record ReplacedMessage(UUID workspaceId, String messageId) {}
}
