package ai.molecule.proxy.queue;

import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.Dispatch;
import io.vertx.core.Future;

/** Writes down that the platform gave up on a message (an agent's own answer is recorded already), and passes the end on. */
public final class QueueRecords implements QueueOutcomeListener {

    private final Dispatch dispatch;
    private final QueueOutcomeListener next;

    public QueueRecords(Dispatch dispatch, QueueOutcomeListener next) {
        this.dispatch = dispatch;
        this.next = next;
    }

    @Override
    public Future<Void> ended(DeferredMessage deferred, QueueOutcome ending) {
        var written = ending instanceof QueueOutcome.Failed failed
                ? dispatch.gaveUp(deferred, failed.error())
                : Future.<Void>succeededFuture();
        return written.compose(done -> next.ended(deferred, ending));
    }
}
