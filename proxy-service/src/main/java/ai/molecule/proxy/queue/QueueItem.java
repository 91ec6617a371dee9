package ai.molecule.proxy.queue;

import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.Leased;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A waiting message in this replica's hands.
 *
 * @param attempts how often it was taken to its target, this time included
 * @param sent whether the target may have run it
 * @param left until it expires; negative behind that
 */
public record QueueItem(
        UUID id,
        long claim,
        DeferredMessage deferred,
        @Nullable String messageId,
        int attempts,
        int lookups,
        boolean sent,
        Duration left)
        implements Leased {

    @Override
    public Claim held() {
        return new Claim(id, claim);
    }
}
