package ai.molecule.proxy.waiting;

import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.a2a.messages.LookupResult;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.queue.QueueOutcome;
import ai.molecule.proxy.queue.QueueOutcomeListener;
import io.vertx.core.Future;
import java.time.Duration;

/** Asks what became of a call that was let go, seldom while its task waits, and records its end as if the call had been held. */
final class ReleasedRun implements LeaseRunner.Worker<ReleasedCall> {

    /** While a person is asked: only in case the agent goes on without. */
    static final Duration SELDOM = Duration.ofSeconds(60);

    private static final Duration OFTEN = Duration.ofSeconds(2);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(5);

    /** With the pauses between them half an hour, so that an agent that restarts meanwhile is found again. */
    private static final int LOOKUPS_MAX = 12;

    private static final String LOST = "outcome unknown: a person was asked, and then the agent ";

    private final PgReleasedCalls store;
    private final Dispatch dispatch;
    private final QueueOutcomeListener listener;
    private boolean stopped;

    /** @param listener told of each end that the agent itself has not recorded */
    ReleasedRun(PgReleasedCalls store, Dispatch dispatch, QueueOutcomeListener listener) {
        this.store = store;
        this.dispatch = dispatch;
        this.listener = listener;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public Future<Void> advance(ReleasedCall call) {
        return letsSleep(call)
                .compose(asleep -> asleep
                        ? store.again(call.held(), SELDOM, 0).mapEmpty()
                        : dispatch.lookUp(call.deferred().target(), call.messageId())
                                .compose(found -> stopped ? Future.succeededFuture() : after(call, found)));
    }

    /** Nobody is woken to be asked whether it still waits. */
    private Future<Boolean> letsSleep(ReleasedCall call) {
        return call.waits() ? dispatch.isAsleep(call.deferred().target()) : Future.succeededFuture(false);
    }

    private Future<Void> after(ReleasedCall call, LookupResult found) {
        return switch (found) {
            case LookupResult.Over over -> answered(call, over.body());
            case LookupResult.Asks asks -> // that is an answer: whoever gives the words makes a call of its own
                dispatch.heard(call.deferred().target(), call.messageId(), asks.body())
                        .compose(kept -> answered(call, asks.body()));
            case LookupResult.Working working ->
                store.again(call.held(), call.waits() ? SELDOM : OFTEN, 0).mapEmpty();
            case LookupResult.NotKnown notKnown -> inVain(call, "did not know the message");
            case LookupResult.Unsupported unsupported -> inVain(call, "could not be asked for it");
            case LookupResult.NotReached notReached -> inVain(call, "was not reached");
        };
    }

    private Future<Void> answered(ReleasedCall call, byte[] body) {
        return dispatch.tell(call.deferred(), body)
                .compose(told -> listener.ended(call.deferred(), new QueueOutcome.Answered(body)))
                .compose(told -> store.end(call.id()));
    }

    private Future<Void> inVain(ReleasedCall call, String why) {
        if (call.waits()) {
            return store.again(call.held(), SELDOM, 0).mapEmpty();
        }
        if (call.lookups() + 1 < LOOKUPS_MAX) {
            return store.again(call.held(), pause(call.lookups()), call.lookups() + 1)
                    .mapEmpty();
        }
        return listener.ended(call.deferred(), new QueueOutcome.Failed(LOST + why, true))
                .compose(told -> store.end(call.id()));
    }

    private static Duration pause(int lookups) {
        var doubled = OFTEN.multipliedBy(1L << Math.min(lookups, 10));
        return doubled.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : doubled;
    }
}
