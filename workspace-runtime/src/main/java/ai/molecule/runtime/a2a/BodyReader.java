package ai.molecule.runtime.a2a;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/**
 * Reads request bodies within bounds: of one body's size, of all bodies being read, and of the time a body may take.
 *
 * <p>What exceeds a bound is refused at once, and the rest of it read and thrown away: closing on a client that still
 * sends would lose it the answer. One server's requests share one event loop, so plain fields suffice.
 */
final class BodyReader {

    static final int BODY_MAX_BYTES = 1024 * 1024;

    /** A client that sends on regardless of its refusal is cut off here. */
    private static final long DISCARDED_MAX_BYTES = 32L * 1024 * 1024;

    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(30);

    private final Vertx vertx;
    private final long allBodiesMaxBytes;
    private long beingRead;

    BodyReader(Vertx vertx, long allBodiesMaxBytes) {
        this.vertx = vertx;
        this.allBodiesMaxBytes = allBodiesMaxBytes;
    }

    /** Fails with {@link HttpRefusal}: 413 too large, 503 too many at once, 408 too slow; or with whatever broke the connection. */
    Future<Buffer> read(HttpServerRequest request) {
        Promise<Buffer> whole = Promise.promise();
        var body = Buffer.buffer();
        long timer = vertx.setTimer(
                BODY_TIMEOUT.toMillis(),
                id -> whole.tryFail(new HttpRefusal(408, "the request took too long to arrive")));
        long[] arrived = {0};
        request.handler(piece -> {
            arrived[0] += piece.length();
            if (whole.future().isComplete()) {
                discard(request, arrived[0]);
            } else if (arrived[0] > BODY_MAX_BYTES) {
                whole.tryFail(new HttpRefusal(413, "request exceeds 1 MiB"));
            } else if (beingRead + piece.length() > allBodiesMaxBytes) {
                whole.tryFail(new HttpRefusal(503, "the agent is busy, try again later"));
            } else {
                beingRead += piece.length();
                body.appendBuffer(piece);
            }
        });
        request.endHandler(end -> whole.tryComplete(body));
        request.exceptionHandler(whole::tryFail);
        return whole.future().onComplete(done -> {
            vertx.cancelTimer(timer);
            beingRead -= body.length();
        });
    }

    private static void discard(HttpServerRequest request, long arrived) {
        if (arrived > DISCARDED_MAX_BYTES) {
            request.connection().close();
        }
    }
}
