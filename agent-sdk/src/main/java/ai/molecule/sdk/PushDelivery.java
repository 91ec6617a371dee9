package ai.molecule.sdk;

import java.time.Clock;
import java.time.Duration;

/**
 * Lets messages come: a small HTTP server for agents that can be called. It speaks A2A (JSON-RPC {@code message/send}) and the
 * simple form {@code {"task_id","sender","message","idempotency_key"}} of {@code /a2a/inbound}, which it answers
 * {@code {"status":"ok","result":…}}. What the handler returns is the answer to the request itself.
 *
 * <pre>{@code
 * try (var push = PushDelivery.listen(client, PushOptions.onPort(8000))) {
 *     client.register("http://my-host:" + push.port() + "/a2a");
 *     client.runAgentLoop(handler, push, LoopOptions.defaults());
 * }
 * }</pre>
 *
 * <p>Messages are handled on several threads at the same time. A messageId that came during the last 24 h, among the last
 * 10,000, is not handled again: it gets the answer of the first time, or waits for it. Until the loop runs, and while it is
 * paused, callers are told to come again (503).
 */
public final class PushDelivery implements InboundDelivery, AutoCloseable {

    /** Nothing has to be fetched; the loop looks in from time to time, so that its rounds mean something. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final PushDesk desk;
    private final PushServer server;

    private PushDelivery(PushDesk desk, PushServer server) {
        this.desk = desk;
        this.server = server;
    }

    /**
     * Begins to listen.
     *
     * @throws java.io.UncheckedIOException when the address cannot be listened on
     */
    public static PushDelivery listen(RemoteAgentClient client, PushOptions options) {
        var desk = new PushDesk(client, new HandledMessages(Clock.systemUTC()), options.maxConcurrent());
        return new PushDelivery(desk, PushServer.listen(client, desk, options));
    }

    /** The port listened on. */
    public int port() {
        return server.port();
    }

    /** Opens the door for this handler and returns 0 at once. */
    @Override
    public int runOnce(MessageHandler handler) {
        desk.open(handler);
        return 0;
    }

    @Override
    public Duration pause() {
        return PAUSE;
    }

    /** Closes the door until the next {@code runOnce}. */
    @Override
    public void wake() {
        desk.close();
    }

    @Override
    public void stop() {
        desk.close();
        server.stop();
    }

    /** {@link #stop()}. */
    @Override
    public void close() {
        stop();
    }
}
