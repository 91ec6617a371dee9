package ai.molecule.proxy.mcp;

import ai.molecule.runtime.mcp.McpOverHttp.Reply;
import ai.molecule.runtime.mcp.TaskSubscription;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.InterruptedIOException;

/** Carries what a subscription tells to its client, from the thread that looks to the event loop of the request. */
record McpEvents(HttpServerResponse response, Context loop) implements TaskSubscription.Listener {

    private static final int WAITS_MAX = 600;
    private static final int WAIT_MILLIS = 50;

    @Override
    public void hear(ObjectNode message) throws IOException {
        write(Reply.event(message));
    }

    @Override
    public void stillThere() throws IOException {
        write(": still there\n\n");
    }

    /** Fails for a client that left, or takes nothing for half a minute. */
    private void write(String text) throws IOException {
        for (int waits = 0; response.writeQueueFull() && waits < WAITS_MAX; waits++) {
            await();
        }
        if (response.closed() || response.ended() || response.writeQueueFull()) {
            throw new IOException("the client is gone");
        }
        loop.runOnContext(now -> {
            if (response.closed() || response.ended()) {
                return;
            }
            if (!response.headWritten()) {
                response.setChunked(true)
                        .putHeader("Content-Type", "text/event-stream")
                        .putHeader("Cache-Control", "no-cache")
                        .putHeader("X-Accel-Buffering", "no");
            }
            response.write(text);
        });
    }

    private static void await() throws IOException {
        try {
            Thread.sleep(WAIT_MILLIS);
        } catch (InterruptedException left) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the client is gone");
        }
    }
}
