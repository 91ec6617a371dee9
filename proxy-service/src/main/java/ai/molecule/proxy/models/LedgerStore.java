package ai.molecule.proxy.models;

import io.vertx.core.Future;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** What {@link Ledger} needs from persistence. Amounts are millionths of a dollar. */
interface LedgerStore {

    /**
     * Who asks for money.
     *
     * @param least what is of use; less is nothing
     * @param wanted what is asked for
     * @param reported what the workspace says itself that it spent: the larger of that and what was metered counts
     */
    record Ask(UUID callId, UUID workspaceId, LocalDate period, long least, long wanted, long reported, long limit) {}

    /** Promises {@code wanted}, or what is left when that is enough; completes with what was promised, 0 for nothing. */
    Future<Long> reserve(Ask ask, Duration expiry);

    /** Promises of calls that live. */
    Future<?> renew(Collection<UUID> callIds, Duration expiry);

    /** Writes calls down, books what they cost, ends their promises. The same row again changes nothing. */
    Future<?> settle(List<ModelCallRow> rows);

    /** Ends promises that nobody renewed; how many. */
    Future<Integer> endExpired(int max);

    /** Forgets rows that are older; how many. */
    Future<Integer> prune(Duration keep, int max);
}
