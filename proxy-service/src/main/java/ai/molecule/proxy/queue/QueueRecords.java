package ai.molecule.proxy.queue;

import ai.molecule.proxy.a2a.Dispatch;
import ai.molecule.proxy.a2a.Parcel;
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
    public Future<Void> ended(Parcel parcel, Ending ending) {
        var written = ending instanceof Ending.Failed failed
                ? dispatch.gaveUp(parcel, failed.error())
                : Future.<Void>succeededFuture();
        return written.compose(done -> next.ended(parcel, ending));
    }
}
