package ai.molecule.cli.http;

import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one socket, put together again and handed on one after the other: the next is read when whoever gets them has returned,
 * so what is not taken stays with the platform.
 */
public final class SocketMessages implements WebSocket.Listener {

    private static final int MESSAGE_MAX_CHARS = 16 * 1024 * 1024;

    private final CountDownLatch over = new CountDownLatch(1);
    private final StringBuilder message = new StringBuilder();
    private final Receiver receiver;
    private volatile long heard = System.nanoTime();

    /** Whoever gets them. */
    public interface Receiver {
        /** @return whether it wants more */
        boolean take(String message);
    }

    public SocketMessages(Receiver receiver) {
        this.receiver = receiver;
    }

    /** Whether it was; not when nothing was heard for so long, pings included. */
    public boolean untilClosed(Duration silenceMax) throws InterruptedException {
        heard = System.nanoTime();
        for (long rest = silenceMax.toNanos(); rest > 0; rest = silenceMax.toNanos() - (System.nanoTime() - heard)) {
            if (over.await(rest, TimeUnit.NANOSECONDS)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer data) {
        heard = System.nanoTime();
        socket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        heard = System.nanoTime();
        message.append(data);
        boolean goesOn = message.length() <= MESSAGE_MAX_CHARS;
        if (goesOn && last) {
            goesOn = receiver.take(message.toString());
            message.setLength(0);
        }
        if (goesOn) {
            socket.request(1);
        } else {
            socket.abort();
            over.countDown();
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
        over.countDown();
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable failure) {
        over.countDown();
    }
}
