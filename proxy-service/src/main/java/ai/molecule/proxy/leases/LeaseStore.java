package ai.molecule.proxy.leases;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Claiming, keeping and giving back. */
public interface LeaseStore<W extends Leased> {

    /** Takes due rows that nobody holds, for at least {@code lease}. */
    Future<List<W>> claim(int max, Duration lease);

    Future<Void> renew(Collection<Claim> held, Duration lease);

    /** Gives them back unchanged, due at once. */
    Future<Void> release(Collection<Claim> held);
}
