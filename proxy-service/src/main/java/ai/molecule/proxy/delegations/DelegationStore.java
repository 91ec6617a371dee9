package ai.molecule.proxy.delegations;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Delegations as those who give them and those who get them see them. Every change tells its event in the same transaction. */
public interface DelegationStore {

    /** A delegation that was accepted, now or before. */
    record Accepted(String delegationId, String status, boolean repeated) {}

    /** The first of a key is kept; fails with CONFLICT when a key comes with another task. Committed when it completes. */
    Future<Accepted> accept(NewDelegation wanted, String delegationId, Duration deadline);

    /** Keeps the first of an id. */
    Future<Void> record(Mirrored mirrored);

    /** The workspace is the delegation's source or target; what ended before stays so, and an unknown one is noted as the source's. */
    Future<Boolean> report(UUID workspace, String delegationId, Outcome outcome);

    /** What the target's task came to, told in another call than the delegation's own. */
    Future<Boolean> endTask(UUID target, String taskId, Outcome outcome);

    /** A delegation that was in its target's queue and is at it now, where a person is asked. */
    Future<Void> delivered(UUID source, String delegationId);

    /** An answer that came another way. */
    Future<Boolean> stitch(UUID source, String delegationId, Outcome outcome);

    /**
     * What {@code from} was asked by {@code to} and has not answered: the one of that id, or the oldest. A message that is sent
     * again answers no second one.
     *
     * @param messageId of the reply; null when it has none
     * @param delegationId null when the reply names none
     */
    Future<Boolean> reply(
            UUID from, UUID to, @Nullable String messageId, @Nullable String delegationId, Outcome outcome);

    /** The source's latest, enough for {@link DelegationList#ENTRIES_MAX} entries; tasks are left out and texts cut. */
    Future<List<Shown>> list(UUID source);
}
