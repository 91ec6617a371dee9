package ai.molecule.proxy.streams;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Cuts a stream of server-sent events after each blank line. Lines end in LF, CR or CRLF. Every byte is kept, but for the byte order
 * mark that a stream may begin with.
 */
public final class SseSplitter {

    /** Never written to. */
    private static final Buffer NOTHING = Buffer.buffer();

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final int eventMaxBytes;
    private boolean begun;
    private Buffer pending = NOTHING;
    private boolean lineEmpty = true;
    private boolean afterReturn;

    public SseSplitter(int eventMaxBytes) {
        this.eventMaxBytes = eventMaxBytes;
    }

    /** Hands on each event that the chunk completes; false when one grows past the bound. */
    public boolean feed(Buffer chunk, Consumer<Buffer> events) {
        int from = 0;
        byte[] bytes = chunk.getBytes(); // each is looked at
        for (int i = 0; i < bytes.length; i++) {
            byte c = bytes[i];
            boolean restOfLineEnd = c == '\n' && afterReturn;
            afterReturn = c == '\r';
            if (restOfLineEnd) {
                continue;
            }
            if (c != '\n' && c != '\r') {
                lineEmpty = false;
            } else if (!lineEmpty) {
                lineEmpty = true;
            } else {
                int end = c == '\r' && i + 1 < bytes.length && bytes[i + 1] == '\n' ? i + 2 : i + 1;
                hold(bytes, from, end);
                events.accept(rest());
                begun = true;
                pending = NOTHING;
                from = end;
            }
        }
        hold(bytes, from, bytes.length);
        return pending.length() <= eventMaxBytes;
    }

    private void hold(byte[] bytes, int from, int to) {
        if (from < to) {
            pending = pending == NOTHING ? Buffer.buffer(to - from) : pending;
            pending.appendBytes(bytes, from, to - from);
        }
    }

    /** Whether the last one is complete and what comes next begins another; never before the first, which may begin with the mark. */
    public boolean isBetweenEvents() {
        return begun && pending == NOTHING && lineEmpty && !afterReturn;
    }

    /** Of an event that has not ended. */
    public int pendingBytes() {
        return pending.length();
    }

    /** What came after the last blank line. */
    public Buffer rest() {
        boolean marked =
                !begun && pending.length() >= MARK.length && Arrays.equals(pending.getBytes(0, MARK.length), MARK);
        return pending == NOTHING
                ? Buffer.buffer()
                : marked ? pending.getBuffer(MARK.length, pending.length()) : pending;
    }
}
