package ai.molecule.proxy.delegations;

import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.Leased;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation in this replica's hands.
 *
 * @param claim proves that it still is
 * @param queued whether it waits for its target's capacity
 * @param sent whether bytes of it may have reached the target
 * @param tries how often the target was not reached
 * @param lookups how often the target was asked about it in vain
 * @param traceparent of the trace it was given in; null when there is none
 * @param passport of its target; null when it was given under none
 * @param unjudged whether rules of the policy are to be asked about it before it is sent
 * @param waits whether its clock stands still, because a person is asked
 * @param left until its deadline; negative behind it
 */
public record Delegation(
        UUID id,
        long claim,
        String delegationId,
        UUID source,
        UUID target,
        String task,
        boolean queued,
        boolean sent,
        int tries,
        int lookups,
        @Nullable String traceparent,
        @Nullable String passport,
        boolean unjudged,
        boolean waits,
        Duration left)
        implements Leased {

    @Override
    public Claim held() {
        return new Claim(id, claim);
    }
}
