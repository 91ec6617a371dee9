package ai.molecule.runtime.a2a;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A connection whose reader decides when there is room. */
final class FakeConnection implements WriteStream<Buffer> {

    final List<String> written = new CopyOnWriteArrayList<>();
    volatile boolean full;
    volatile boolean ended;
    private @Nullable Handler<Void> drain;

    void makeRoom() {
        full = false;
        if (drain != null) {
            drain.handle(null);
        }
    }

    @Override
    public WriteStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> handler) {
        return this;
    }

    @Override
    public Future<Void> write(Buffer data) {
        written.add(data.toString());
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> end() {
        ended = true;
        return Future.succeededFuture();
    }

    @Override
    public WriteStream<Buffer> setWriteQueueMaxSize(int maxSize) {
        return this;
    }

    @Override
    public boolean writeQueueFull() {
        return full;
    }

    @Override
    public WriteStream<Buffer> drainHandler(@Nullable Handler<Void> handler) {
        drain = handler;
        return this;
    }
}
