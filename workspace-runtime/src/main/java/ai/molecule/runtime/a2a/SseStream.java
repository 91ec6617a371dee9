package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.EventLog;
import ai.molecule.runtime.tasks.TaskEvent;
import ai.molecule.runtime.tasks.TaskView;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes one task to one reader as server-sent events: the task as it is, then every event, until the turn ends.
 *
 * <p>Events wait in the task's own log and are taken from there when the connection has room, so a slow reader costs no
 * more than the connection's write queue ({@link #WRITE_QUEUE_MAX_BYTES} and one event), and delays neither the task nor
 * other readers. A reader that takes nothing for a minute is let go. Runs on one event loop.
 */
final class SseStream {

    static final int WRITE_QUEUE_MAX_BYTES = 64 * 1024;

    /** Well under the 120 s without a byte after which those in between give up. */
    static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

    private static final int SILENT_ROUNDS_MAX = 4;
    private static final Buffer KEEP_ALIVE_COMMENT = Buffer.buffer(": keep-alive\n\n");

    private final Context context;
    private final WriteStream<Buffer> out;
    private final Runnable giveUp;
    private final AnswerEnvelope envelope;
    private final TaskView view;
    private final EventLog log;
    private final Runnable watcher = this::wake;
    private final AtomicBoolean woken = new AtomicBoolean();
    private int next;
    private boolean over;
    private long keepAliveTimer;
    private int silentRounds;

    /** @param giveUp closes the connection of a reader that does not read */
    SseStream(Context context, WriteStream<Buffer> out, Runnable giveUp, AnswerEnvelope envelope, TaskView view) {
        this.context = context;
        this.out = out;
        this.giveUp = giveUp;
        this.envelope = envelope;
        this.view = view;
        this.log = view.log();
        this.next = view.next();
    }

    void start(int historyMax) {
        out.setWriteQueueMaxSize(WRITE_QUEUE_MAX_BYTES);
        out.exceptionHandler(broken -> stop());
        out.drainHandler(room -> pump());
        keepAliveTimer = context.owner().setPeriodic(KEEP_ALIVE.toMillis(), id -> keepAlive());
        write(envelope.form().begun(view.snapshot(), historyMax));
        log.watch(watcher);
        pump();
    }

    /** The reader has gone; the task works on. */
    void stop() {
        over = true;
        log.unwatch(watcher);
        context.owner().cancelTimer(keepAliveTimer);
    }

    /** On the thread that caused the event. Many events wake the reader once. */
    private void wake() {
        if (woken.compareAndSet(false, true)) {
            context.runOnContext(awake -> {
                woken.set(false);
                pump();
            });
        }
    }

    private void pump() {
        while (!over && !out.writeQueueFull()) {
            TaskEvent event = log.at(next);
            if (event == null) {
                return;
            }
            next++;
            write(envelope.form().event(view.snapshot(), event));
            if (event instanceof TaskEvent.StatusChanged changed
                    && changed.state().endsTurn()) {
                stop();
                out.end();
            }
        }
    }

    private void keepAlive() {
        if (!out.writeQueueFull()) {
            silentRounds = 0;
            out.write(KEEP_ALIVE_COMMENT);
        } else if (++silentRounds >= SILENT_ROUNDS_MAX) {
            stop();
            giveUp.run();
        }
    }

    private void write(ObjectNode result) {
        silentRounds = 0;
        out.write(event(Json.write(envelope.result(result))));
    }

    /** One event of a stream. */
    static Buffer event(Buffer data) {
        return Buffer.buffer("data: ").appendBuffer(data).appendString("\n\n");
    }
}
