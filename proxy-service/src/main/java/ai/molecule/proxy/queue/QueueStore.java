package ai.molecule.proxy.queue;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.BusyQueue.Waiting;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.LeaseStore;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Waiting messages. What takes a claim answers whether it was still held, and gives it back unless it says otherwise. */
public interface QueueStore extends LeaseStore<QueueItem> {

    /** Keeps a message once per target, caller and messageId; empty when the target's queue is full. */
    Future<Optional<Waiting>> enqueue(DeferredMessage deferred, String method, @Nullable String messageId);

    /** The claim stays. */
    Future<Boolean> sending(Claim claim);

    /**
     * Back to its place; nothing was run.
     *
     * @param counts whether it was one of the attempts that a message has; false where the target was not the reason
     */
    Future<Boolean> again(Claim claim, Duration pause, String error, boolean counts);

    /** Still at its target, to be asked about. */
    Future<Boolean> lookUp(Claim claim, Duration pause, boolean counts);

    /** @param error null when it was answered */
    Future<Boolean> end(Claim claim, @Nullable String error);

    /**
     * The target's own word, which counts whoever holds the claim meanwhile.
     *
     * @param error null when it was answered
     */
    Future<Boolean> answered(UUID id, @Nullable String error);

    /** The target fetches its messages by now: this one is there for it from then on. */
    Future<Boolean> hand(Claim claim, ActivityRow message);

    /** The target has capacity: all that waits for it is due. */
    Future<Void> hurry(UUID target);

    /** Targets somebody waits for, at most {@code max}. */
    Future<List<UUID>> targets(int max);

    /** Drops what waits longer than {@code age}, of one target or of all; answers what that was, at most 1000 at a time. */
    Future<List<DeferredMessage>> drop(Duration age, @Nullable UUID target, String why);

    /** Forgets what ended longer ago than {@code age}, at most {@code max}. */
    Future<Integer> prune(Duration age, int max);
}
