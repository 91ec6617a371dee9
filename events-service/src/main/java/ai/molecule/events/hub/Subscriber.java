package ai.molecule.events.hub;

import io.vertx.core.Future;

/**
 * One connection with the position it has reached. Recorded events at or before that position are never sent again, so replay
 * and live delivery may overlap.
 *
 * <p>A reader that stops is closed, never skipped: its queue holds at most 512 KiB, the {@link Parcel} that went beyond, and 512 KiB more.
 */
public final class Subscriber {

    private final Audience audience;
    private final Outlet outlet;
    private long cursor;
    private boolean replaying;
    private boolean closed;
    private long overdraft;

    /** @param replaying whether recorded events are left to a {@link Replay} for now */
    Subscriber(Audience audience, Outlet outlet, long cursor, boolean replaying) {
        this.audience = audience;
        this.outlet = outlet;
        this.cursor = cursor;
        this.replaying = replaying;
    }

    public Audience audience() {
        return audience;
    }

    long cursor() {
        return cursor;
    }

    boolean closed() {
        return closed;
    }

    boolean replaying() {
        return replaying;
    }

    /** Sends live events, or closes when the reader is too far behind for them. */
    void offer(Parcel parcel) {
        boolean recorded = parcel.isRecorded();
        if (closed || (recorded && (replaying || parcel.lastSeq() <= cursor))) {
            return;
        }
        var news = recorded ? parcel.after(cursor) : parcel;
        overdraft = outlet.full() ? overdraft + news.socketSize() : 0;
        if (overdraft > Outlet.QUEUE_MAX_BYTES) {
            close(CloseReason.TOO_SLOW);
            return;
        }
        if (recorded) {
            cursor = news.lastSeq();
        }
        outlet.write(news);
    }

    /** Sends replayed events whatever the queue holds: the replay waits for them to leave. */
    Future<Void> replay(Parcel parcel) {
        return closed ? Future.failedFuture("connection closed") : outlet.write(parcel);
    }

    /** Everything up to {@code seq} was sent or is not for this subscriber. */
    void reached(long seq) {
        cursor = Math.max(cursor, seq);
    }

    /** A live subscriber needs nothing of the log up to there. */
    void passed(long seq) {
        if (!replaying) {
            reached(seq);
        }
    }

    void goLive() {
        replaying = false;
    }

    void left() {
        closed = true;
    }

    public Future<Void> close(CloseReason why) {
        if (closed) {
            return Future.succeededFuture();
        }
        closed = true;
        return outlet.close(why);
    }
}
