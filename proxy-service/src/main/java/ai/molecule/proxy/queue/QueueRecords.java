package ai.molecule.proxy.queue;

import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.Dispatch;
import io.vertx.core.Future;

/** Writes down that the platform gave up on a message (an agent's own answer is recorded already), and passes the end on. */
public final class QueueRecords implements EndingListener {

    private final Dispatch dispatch;
    private final EndingListener next;

    public QueueRecords(Dispatch dispatch, EndingListener next) {
        this.dispatch = dispatch;
        this.next = next;
    }

    @Override
    public Future<Void> ended(DeferredMessage deferred, Ending ending) {
        var written = ending instanceof Ending.Failed failed
                ? dispatch.gaveUp(deferred, failed.error())
                : Future.<Void>succeededFuture();
        return written.compose(done -> next.ended(deferred, ending));
    }
}
