package ai.molecule.proxy.delegations;

import ai.molecule.proxy.a2a.Parcel;
import ai.molecule.proxy.leases.Claim;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** A store whose replica dies just before or just after one of its steps: from then on nothing of it reaches the database. */
final class DyingStore implements WorkStore {

    enum Step {
        CLAIM,
        SENDING,
        AWAIT_REPLY,
        ANSWERED,
        OTHER
    }

    private final WorkStore store;
    private final Step fatal;
    private final boolean after;
    volatile boolean dead;

    DyingStore(WorkStore store, Step fatal, boolean after) {
        this.store = store;
        this.fatal = fatal;
        this.after = after;
    }

    @Override
    public Future<List<Delegation>> claim(int max, Duration lease) {
        return living(Step.CLAIM, () -> store.claim(max, lease));
    }

    @Override
    public Future<Void> renew(Collection<Claim> held, Duration lease) {
        return living(Step.OTHER, () -> store.renew(held, lease));
    }

    @Override
    public Future<Void> release(Collection<Claim> held) {
        return living(Step.OTHER, () -> store.release(held));
    }

    @Override
    public Future<Boolean> sending(Claim claim) {
        return living(Step.SENDING, () -> store.sending(claim));
    }

    @Override
    public Future<Boolean> sendAgain(Claim claim, Duration pause, boolean counts) {
        return living(Step.OTHER, () -> store.sendAgain(claim, pause, counts));
    }

    @Override
    public Future<Boolean> lookUp(Claim claim, Duration pause, boolean counts) {
        return living(Step.OTHER, () -> store.lookUp(claim, pause, counts));
    }

    @Override
    public Future<Boolean> awaitReply(Claim claim) {
        return living(Step.AWAIT_REPLY, () -> store.awaitReply(claim));
    }

    @Override
    public Future<Boolean> awaitCapacity(Claim claim, Parcel parcel, String delegationId) {
        return living(Step.OTHER, () -> store.awaitCapacity(claim, parcel, delegationId));
    }

    @Override
    public Future<Boolean> end(Claim claim, Outcome outcome) {
        return living(Step.OTHER, () -> store.end(claim, outcome));
    }

    @Override
    public Future<Boolean> answered(Claim claim, Outcome outcome) {
        return living(Step.ANSWERED, () -> store.answered(claim, outcome));
    }

    private <T> Future<T> living(Step step, Supplier<Future<T>> work) {
        if (dead) {
            return Future.failedFuture("killed");
        }
        if (step != fatal) {
            return work.get();
        }
        if (!after) {
            dead = true;
            return Future.failedFuture("killed");
        }
        return work.get().compose(done -> {
            if (done instanceof List<?> nothing && nothing.isEmpty()) {
                return Future.succeededFuture(done);
            }
            dead = true;
            return Future.failedFuture("killed");
        });
    }
}
