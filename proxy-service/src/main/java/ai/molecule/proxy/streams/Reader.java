package ai.molecule.proxy.streams;

import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of a stream, from a position on: every event once, in order, until the stream ends. It holds at most one page of
 * the journal and what its connection has queued. While there is nothing to say it comments; a client that takes nothing for
 * longer than the limits' patience is let go.
 */
public final class Reader {

    private static final Logger LOGGER = LoggerFactory.getLogger(Reader.class);
    private static final Buffer COMMENT = Buffer.buffer(": keep-alive\n\n");
    private static final int PAGE_MAX = 64;

    private final Vertx vertx;
    private final Streams streams;
    private final String rpcId;
    private final @Nullable Relay relay;
    private @Nullable Rewording rewording;
    private @Nullable Opening opening;
    private final Deque<Entry> page = new ArrayDeque<>();
    private StreamHead head;
    private @Nullable HttpServerResponse response;
    private Runnable letGo = () -> {};
    private int n;
    private boolean reading;
    private boolean again;
    private boolean over;
    private long wroteNanos = System.nanoTime();
    private long fullNanos;
    private long timer = -1;

    /** Another wording of events. */
    @FunctionalInterface
    public interface Rewording {

        /**
         * @param n the event's position, 0 for one that has none
         * @param data of the event
         * @return the data of what is written in its place, at least one event; its id stands at the last
         */
        List<byte[]> tell(int n, byte[] data);
    }

    /** What is answered in the place of a stream that is nothing but a refusal. */
    @FunctionalInterface
    public interface Opening {

        /**
         * @param out nothing of it is written yet
         * @param first data of the stream's first event, as its client would read it
         * @return whether the answer was given, to its end
         */
        boolean refuses(HttpServerResponse out, byte[] first);
    }

    /** @param relay the stream's owner when that is here */
    Reader(Vertx vertx, Streams streams, StreamHead head, int after, String rpcId, @Nullable Relay relay) {
        this.vertx = vertx;
        this.streams = streams;
        this.head = head;
        this.n = after;
        this.rpcId = rpcId;
        this.relay = relay;
    }

    /** Completes with the name of its task once that is said; fails when the stream ends before. */
    public Future<String> taskNamed() {
        return relay == null
                ? Future.failedFuture("not a stream of this replica")
                : relay.named().map(Sighting::taskId);
    }

    StreamHead head() {
        return head;
    }

    /** In which version of A2A its events are kept. */
    public Protocol protocol() {
        return head.origin().protocol();
    }

    /** To be called before it writes: what an event says to its client. */
    public void tell(Rewording another) {
        var before = rewording;
        rewording = before == null
                ? another
                : (at, data) -> before.tell(at, data).stream()
                        .flatMap(told -> another.tell(at, told).stream())
                        .toList();
    }

    /** To be called before it writes: its head waits for the first event, or for the first sign of life in its place. */
    public void openWith(Opening judge) {
        opening = judge;
    }

    /**
     * Begins to write to a response whose head is set. Whoever owns the response says when its client left.
     *
     * @param cut closes its connection, also while the client reads nothing
     */
    public void writeTo(HttpServerResponse out, Runnable cut) {
        if (out.closed() || out.ended() || over) {
            left();
            return;
        }
        response = out;
        letGo = cut;
        out.exceptionHandler(broken -> left());
        out.drainHandler(room -> drained());
        if (opening == null) {
            out.writeHead();
        }
        long keepAlive = streams.limits().keepAlive().toMillis();
        long period = Math.min(keepAlive, streams.patience().toMillis() / 4);
        timer = vertx.setPeriodic(Math.max(1, period), tick -> tick());
        pump();
    }

    /** Nobody will read; completes with the stream's end. For a reader of a stream that is this replica's own. */
    public Future<Relay.End> drain() {
        left();
        return relay == null ? Future.failedFuture("not a stream of this replica") : relay.ended();
    }

    /** Its client may read no more; the stream goes on. One that takes nothing is cut off. */
    public void revoke() {
        if (response == null || over) {
            left();
        } else if (response.writeQueueFull()) {
            left();
            letGo.run();
        } else {
            say("stream-revoked", "stream ended: its credential may not read it any more");
            end(null);
        }
    }

    /** The client has gone; the stream goes on. */
    public void left() {
        if (!over) {
            over = true;
            vertx.cancelTimer(timer);
            page.clear();
            streams.leave(this);
            if (relay != null) {
                relay.look();
            }
        }
    }

    /** Whether the client has not yet taken what was written, or what it missed meanwhile is still read from the journal. */
    boolean isBehind() {
        return !over && response != null && (response.writeQueueFull() || readsWhatWasMissed());
    }

    /** An agent that goes on meanwhile may outrun what the journal keeps: writing to it can be faster than reading. */
    private boolean readsWhatWasMissed() {
        return relay != null && n < relay.lastN() && relay.uncommitted(n + 1) == null;
    }

    /** There may be more. */
    void wake() {
        if (page.isEmpty()) {
            pump();
        }
    }

    private void drained() {
        fullNanos = 0;
        pump();
        if (relay != null) {
            relay.look();
        }
    }

    private void pump() {
        while (response != null && !over) {
            if (response.writeQueueFull()) {
                fullNanos = fullNanos == 0 ? System.nanoTime() : fullNanos;
                return;
            }
            var next = next();
            if (next == null) {
                readOn();
                return;
            }
            n = next.n();
            var body = rpcId.equals(head.origin().rpcId()) ? next.body() : EventText.answering(next.body(), rpcId);
            var told = told(n, body);
            if (n == 1 && isRefused(response, told.getFirst())) {
                return;
            }
            told.subList(0, told.size() - 1).forEach(this::write);
            write(Buffer.buffer("id: " + head.at(n).text() + "\n").appendBuffer(told.getLast()));
        }
    }

    private boolean isRefused(HttpServerResponse out, Buffer first) {
        var judge = opening;
        opening = null;
        if (judge == null || !judge.refuses(out, EventText.data(first))) {
            return false;
        }
        left();
        return true;
    }

    private List<Buffer> told(int at, Buffer event) {
        var another = rewording;
        return another == null
                ? List.of(event)
                : another.tell(at, EventText.data(event)).stream()
                        .map(EventText::ofData)
                        .toList();
    }

    private @Nullable Entry next() {
        var paged = page.poll();
        return paged != null || relay == null ? paged : relay.uncommitted(n + 1);
    }

    private void readOn() {
        if (relay != null && n >= relay.lastN()) {
            if (relay.over()) {
                end(relay.farewell());
            } else {
                relay.look();
            }
            return;
        }
        if (reading) {
            again = true;
            return;
        }
        reading = true;
        // the head after the page, so that it knows the epoch of every event on it
        streams.store()
                .after(head.id(), n, PAGE_MAX)
                .compose(entries -> streams.store().find(head.id()).map(found -> turn(entries, found)))
                .onComplete(done -> {
                    reading = false;
                    if (done.failed()) {
                        LOGGER.atDebug().setCause(done.cause()).log("journal not read, trying again at the next tick");
                    } else if (done.result() || again) {
                        again = false;
                        pump();
                    }
                });
    }

    /** Takes a page; whether there is anything to write. */
    private boolean turn(List<Entry> entries, Optional<StreamHead> found) {
        if (over) {
            return false;
        }
        int firstKept = entries.isEmpty()
                ? found.map(StreamHead::firstN).orElse(n + 2)
                : entries.getFirst().n();
        if (firstKept > n + 1) {
            gap();
            return false;
        }
        head = found.orElse(head);
        page.addAll(entries);
        if (entries.isEmpty() && head.ended() && n >= head.lastN()) {
            end(null);
            return false;
        }
        return !entries.isEmpty();
    }

    private void gap() {
        streams.gapFound();
        say("stream-gap", "stream gap: events are no longer kept");
        end(null);
    }

    private void end(@Nullable String farewell) {
        var out = response;
        if (out == null || over) {
            return;
        }
        if (farewell != null) {
            say("stream-interrupted", "stream interrupted: " + farewell);
        }
        left();
        out.end();
    }

    /** An event that is none of the stream's, and has no position. */
    private void say(String reason, String message) {
        told(0, EventText.ofData(EventText.error(rpcId, reason, message))).forEach(this::write);
    }

    private void write(Buffer bytes) {
        wroteNanos = System.nanoTime();
        opening = null;
        if (response != null) {
            response.write(bytes);
        }
    }

    private void tick() {
        var out = response;
        if (out == null || over) {
            return;
        }
        long now = System.nanoTime();
        if (!out.writeQueueFull()) {
            if (now - wroteNanos >= streams.limits().keepAlive().toNanos()) {
                write(COMMENT);
            }
        } else if (fullNanos != 0 && now - fullNanos >= streams.patience().toNanos()) {
            LOGGER.atInfo().addKeyValue("streamId", head.id()).log("reader of a stream takes nothing, let go");
            left();
            letGo.run();
        }
    }
}
