package ai.molecule.proxy.queue;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.a2a.messages.DispatchResult;
import ai.molecule.proxy.a2a.messages.LookupResult;
import ai.molecule.proxy.leases.LeaseRunner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Takes one waiting message to its agent, or asks what became of it, and writes down what follows. */
public final class QueueRun implements LeaseRunner.Worker<QueueItem> {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);
    private static final String LOST = "outcome unknown: the answer was lost and the agent ";
    private static final String NOT_KNOWN = "does not know the message";

    /** How a message failed that was on its way when its proxy died, and of which its agent says that it never saw it. */
    public static final String NEVER_SEEN = LOST + NOT_KNOWN;

    private final QueueStore store;
    private final Dispatch dispatch;
    private final QueueOutcomeListener listener;
    private final Duration answerWithin;
    private final QueueLimits limits;
    private final RepeatedWrites repeatedly;
    private Runnable next = () -> {};
    private boolean stopped;

    /** @param answerWithin how long an agent may work on a message */
    public QueueRun(
            Vertx vertx,
            QueueStore store,
            Dispatch dispatch,
            QueueOutcomeListener listener,
            Duration answerWithin,
            QueueLimits limits) {
        this.store = store;
        this.dispatch = dispatch;
        this.listener = listener;
        this.answerWithin = answerWithin;
        this.limits = limits;
        this.repeatedly = new RepeatedWrites(vertx, () -> stopped);
    }

    /** Whom to tell that the next message of an agent may be due. */
    public void tell(Runnable whenFree) {
        next = whenFree;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public Future<Void> advance(QueueItem item) {
        if (!item.left().isPositive()) {
            return failed(item, item.sent() ? LOST + "did not tell in time" : "expired in the queue", item.sent());
        }
        return item.sent() ? lookUp(item) : send(item);
    }

    private Future<Void> send(QueueItem item) {
        var lost = new AtomicBoolean();
        return dispatch.send(item.deferred(), answerWithin, () -> sending(item, lost))
                .transform(done -> {
                    if (stopped || lost.get()) {
                        return Future.succeededFuture(); // what comes of it is whoever holds it now to say
                    }
                    return done.succeeded() ? after(item, done.result()) : after(item, done.cause());
                });
    }

    private Future<Void> sending(QueueItem item, AtomicBoolean lost) {
        return store.sending(item.held()).compose(still -> {
            lost.set(!still);
            return still && !stopped ? Future.succeededFuture() : Future.failedFuture(Calls.superseded());
        });
    }

    private Future<Void> after(QueueItem item, DispatchResult reply) {
        return switch (reply) {
            case DispatchResult.Answered answered -> answered(item, answered.body());
            case DispatchResult.Kept kept -> handed(item, kept.message());
            case DispatchResult.Refused refused ->
                taken(item, said(item, new QueueOutcome.Refused(refused.error()), refused.error()));
            case DispatchResult.Busy busy -> again(item, "the agent is busy");
        };
    }

    private Future<Void> after(QueueItem item, Throwable failure) {
        if (Calls.wasLetGo(failure)) {
            return taken(item, store.end(item.held(), null)); // its end is told by who keeps it now
        }
        if (Calls.mayHaveArrived(failure)) {
            return store.lookUp(item.held(), LOOK_EVERY, false).mapEmpty();
        }
        String why = failure instanceof ApiError error ? error.publicMessage() : "internal error";
        if (isNotTheAgents(failure)) {
            return store.again(item.held(), limits.pauseAfter(0), why, false).mapEmpty();
        }
        return why.equals(Admission.QUARANTINED) ? failed(item, why, false) : again(item, why);
    }

    /** It is in line for its start, or the platform itself was the reason: a message waits for either until it expires. */
    private static boolean isNotTheAgents(Throwable failure) {
        return failure instanceof ApiError error
                && (Boolean.TRUE.equals(error.details().get("waking"))
                        || "platform_unavailable".equals(error.details().get("code")));
    }

    /** Attempts are counted when a message is taken, so a replica that dies in between uses up one as well. */
    private Future<Void> again(QueueItem item, String why) {
        return item.attempts() >= limits.attemptsMax()
                ? failed(item, why, false)
                : store.again(item.held(), limits.pauseAfter(item.attempts()), why, true)
                        .mapEmpty();
    }

    private Future<Void> handed(QueueItem item, ActivityRow message) {
        return taken(item, store.hand(item.held(), message))
                .recover(failure -> failure instanceof ApiError full
                        ? again(item, full.publicMessage())
                        : Future.failedFuture(failure));
    }

    private Future<Void> lookUp(QueueItem item) {
        String messageId = item.messageId();
        if (messageId == null) {
            return failed(item, LOST + "cannot be asked for it", true);
        }
        return dispatch.lookUp(item.deferred().target(), messageId)
                .compose(found -> stopped
                        ? Future.succeededFuture()
                        : switch (found) {
                            case LookupResult.Asks asks ->
                                dispatch.heard(item.deferred().target(), messageId, asks.body())
                                        .compose(kept -> dispatch.tell(item.deferred(), asks.body()))
                                        .compose(told -> answered(item, asks.body()));
                            case LookupResult.Over over ->
                                dispatch.tell(item.deferred(), over.body())
                                        .compose(told -> answered(item, over.body()));
                            case LookupResult.Working working ->
                                store.lookUp(item.held(), LOOK_EVERY, false).mapEmpty();
                            case LookupResult.Unsupported unsupported ->
                                failed(item, LOST + "cannot be asked for it", true);
                            case LookupResult.NotKnown notKnown -> askAgain(item, NOT_KNOWN);
                            case LookupResult.NotReached notReached -> askAgain(item, "cannot be reached");
                        });
    }

    private Future<Void> askAgain(QueueItem item, String why) {
        return item.lookups() + 1 < limits.lookups()
                ? store.lookUp(item.held(), LOOK_EVERY.multipliedBy(1L << item.lookups()), true)
                        .mapEmpty()
                : failed(item, LOST + why, true);
    }

    private Future<Void> answered(QueueItem item, byte[] body) {
        return taken(item, said(item, new QueueOutcome.Answered(body), null));
    }

    /** An agent that took a message has capacity for the next. */
    private Future<Void> taken(QueueItem item, Future<?> ended) {
        return ended.compose(done -> store.hurry(item.deferred().target())).onSuccess(due -> next.run());
    }

    private Future<Void> failed(QueueItem item, String error, boolean unknown) {
        return ended(item, new QueueOutcome.Failed(error, unknown), error);
    }

    /** The agent's own word: it counts whoever holds the message meanwhile, and is written down also after an outage. */
    private Future<Void> said(QueueItem item, QueueOutcome ending, @Nullable String error) {
        return repeatedly
                .write(() -> listener.ended(item.deferred(), ending))
                .compose(told -> repeatedly.write(() -> store.answered(item.id(), error)))
                .onSuccess(done -> next.run())
                .mapEmpty();
    }

    private Future<Void> ended(QueueItem item, QueueOutcome ending, @Nullable String error) {
        return listener.ended(item.deferred(), ending)
                .compose(told -> store.end(item.held(), error))
                .onSuccess(done -> next.run())
                .mapEmpty();
    }
}
