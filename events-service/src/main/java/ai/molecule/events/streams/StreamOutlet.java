package ai.molecule.events.streams;

import ai.molecule.events.hub.CloseReason;
import ai.molecule.events.hub.Outlet;
import ai.molecule.events.hub.Parcel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;

/** A subscriber's event stream. The reason of a goodbye is its last comment line. */
final class StreamOutlet implements Outlet {

    private static final long LINGER_MILLIS = 10_000;

    private final Vertx vertx;
    private final RoutingContext ctx;

    StreamOutlet(RoutingContext ctx) {
        this.vertx = ctx.vertx();
        this.ctx = ctx;
        ctx.response().setWriteQueueMaxSize(QUEUE_MAX_BYTES);
    }

    @Override
    public boolean full() {
        return ctx.response().writeQueueFull();
    }

    @Override
    public Future<Void> write(Parcel parcel) {
        return ctx.response().write(parcel.streamBytes());
    }

    @Override
    public Future<Void> close(CloseReason why) {
        var connection = ctx.request().connection();
        long cut = vertx.setTimer(LINGER_MILLIS, late -> connection.close());
        return ctx.response().end(": closed: " + why.reason() + "\n\n").onComplete(ended -> vertx.cancelTimer(cut));
    }
}
