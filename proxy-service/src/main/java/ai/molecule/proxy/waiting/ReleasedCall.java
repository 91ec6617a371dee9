package ai.molecule.proxy.waiting;

import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.Leased;
import java.util.UUID;

/**
 * A call that was let go, in this replica's hands.
 *
 * @param waits whether its task still waits for a person
 * @param lookups questions in vain since it does not
 */
record ReleasedCall(UUID id, long claim, DeferredMessage deferred, String messageId, boolean waits, int lookups)
        implements Leased {

    @Override
    public Claim held() {
        return new Claim(id, claim);
    }
}
