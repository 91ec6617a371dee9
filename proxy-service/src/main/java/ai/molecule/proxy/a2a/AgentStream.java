package ai.molecule.proxy.a2a;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An agent's event stream, passed on event by event. The agent is read only as fast as the reader takes it, one event and the
 * socket buffers are all that is held. A silent stream is commented, one that is silent too long or breaks off ends with a
 * JSON-RPC error event. When the reader leaves, the agent is read on so that its work is not cancelled.
 */
final class AgentStream {

    /** A silence of 120 s is noticed within 5 s. */
    private static final int CHECKS_PER_SILENCE = 24;

    private static final Buffer COMMENT = Buffer.buffer(": keep-alive\n\n");

    /**
     * How a stream ended.
     *
     * @param lastData the data of its last event, empty when there was none
     * @param interruption null when the agent ended it
     * @param unread whether the end reached nobody
     */
    record End(byte[] lastData, @Nullable String interruption, boolean unread) {}

    private final Vertx vertx;
    private final A2aLimits limits;
    private final HttpClientResponse agent;
    private final String rpcId;
    private final SseSplitter splitter;
    private final Promise<End> ended = Promise.promise();
    private @Nullable HttpServerResponse reader;
    private @Nullable Buffer last;
    private boolean held;
    private long heardNanos = System.nanoTime();
    private long wroteNanos = System.nanoTime();

    AgentStream(Vertx vertx, A2aLimits limits, HttpClientResponse agent, String rpcId) {
        this.vertx = vertx;
        this.limits = limits;
        this.agent = agent;
        this.rpcId = rpcId;
        this.splitter = new SseSplitter(limits.responseMaxBytes());
    }

    Future<End> ended() {
        return ended.future();
    }

    /** Starts writing events to a response whose head is set. Whoever owns the response says when its client left. */
    void relayTo(HttpServerResponse response) {
        if (!response.closed() && !response.ended()) {
            reader = response;
            response.drainHandler(space -> goOn());
            response.writeHead();
            every(limits.keepAlive(), this::comment);
        }
        start();
    }

    /** Reads to the end for nobody. */
    void drain() {
        start();
    }

    private void start() {
        agent.exceptionHandler(broken -> interrupt("the agent's stream broke off"))
                .endHandler(end -> finish(null))
                .handler(this::bytes);
        every(limits.streamIdle().dividedBy(CHECKS_PER_SILENCE), this::checkSilence);
        long timer = vertx.setTimer(limits.upstream().toMillis(), late -> interrupt("the agent took too long"));
        ended.future().onComplete(over -> vertx.cancelTimer(timer));
        agent.resume();
    }

    private void bytes(Buffer chunk) {
        heardNanos = System.nanoTime();
        if (!splitter.feed(chunk, this::event)) {
            interrupt("an event of the agent exceeds 10 MiB");
        }
    }

    private void event(Buffer event) {
        last = event;
        write(event);
        if (reader != null && reader.writeQueueFull()) {
            held = true;
            agent.pause();
        }
    }

    private void goOn() {
        if (held && !ended.future().isComplete()) {
            held = false;
            heardNanos = System.nanoTime(); // the silence was the reader's
            agent.resume();
        }
    }

    /** The platform stops. */
    void stop() {
        interrupt("the platform stopped");
    }

    /** From now on the agent is read for nobody. */
    void readerLeft() {
        reader = null;
        goOn();
    }

    private void comment() {
        if (elapsed(wroteNanos).compareTo(limits.keepAlive()) >= 0 && reader != null && !reader.writeQueueFull()) {
            write(COMMENT);
        }
    }

    private void checkSilence() {
        if (!held && elapsed(heardNanos).compareTo(limits.streamIdle()) >= 0) {
            interrupt("the agent sent nothing for " + limits.streamIdle().toSeconds() + " s");
        }
    }

    private void write(Buffer bytes) {
        if (reader != null) {
            wroteNanos = System.nanoTime();
            reader.write(bytes);
        }
    }

    private void interrupt(String why) {
        if (!ended.future().isComplete()) {
            write(Buffer.buffer("data: {\"jsonrpc\":\"2.0\",\"id\":" + rpcId
                    + ",\"error\":{\"code\":-32603,\"message\":\"stream interrupted: " + why + "\"}}\n\n"));
            finish(why);
            agent.request().reset();
        }
    }

    private void finish(@Nullable String interruption) {
        if (ended.future().isComplete()) {
            return;
        }
        if (interruption == null) {
            write(splitter.rest());
        }
        var present = reader;
        ended.complete(new End(last == null ? new byte[0] : dataOf(last), interruption, present == null));
        if (present != null) {
            present.end();
        }
    }

    private void every(Duration period, Runnable work) {
        long timer = vertx.setPeriodic(Math.max(1, period.toMillis()), tick -> work.run());
        ended.future().onComplete(over -> vertx.cancelTimer(timer));
    }

    private static Duration elapsed(long sinceNanos) {
        return Duration.ofNanos(System.nanoTime() - sinceNanos);
    }

    private static byte[] dataOf(Buffer event) {
        var data = new StringBuilder();
        event.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("data:"))
                .forEach(line ->
                        data.append(line, "data:".length(), line.length()).append('\n'));
        return data.toString().strip().getBytes(StandardCharsets.UTF_8);
    }
}
