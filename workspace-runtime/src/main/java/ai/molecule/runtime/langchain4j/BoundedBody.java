package ai.molecule.runtime.langchain4j;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpTimeoutException;
import java.util.function.BooleanSupplier;

/** A stream of events, within what the agent can hold: its parser keeps a whole event, and the model's client all of them. */
final class BoundedBody extends FilterInputStream {

    static final long BYTES_MAX = 16L * 1024 * 1024;
    static final int EVENT_MAX_BYTES = 1024 * 1024;

    private final Runnable heard;
    private final BooleanSupplier left;
    private long bytes;
    private int eventBytes;
    private boolean atLineStart = true;

    /**
     * @param heard runs whenever something arrives
     * @param left whether somebody closed the body because it took too long
     */
    BoundedBody(InputStream body, Runnable heard, BooleanSupplier left) {
        super(body);
        this.heard = heard;
        this.left = left;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int read = readUnlessLeft(into, offset, length);
        for (int i = offset; i < offset + read; i++) {
            count(into[i]);
        }
        if (read > 0) {
            heard.run();
        }
        return read;
    }

    private int readUnlessLeft(byte[] into, int offset, int length) throws IOException {
        try {
            int read = in.read(into, offset, length);
            if (read < 0 && left.getAsBoolean()) {
                throw tooLong();
            }
            return read;
        } catch (IOException broken) {
            throw left.getAsBoolean() ? tooLong() : broken;
        }
    }

    private static HttpTimeoutException tooLong() {
        return new HttpTimeoutException("the endpoint was silent for too long, or spoke for too long");
    }

    private void count(byte next) throws IOException {
        eventBytes++;
        if (next == '\n') {
            if (atLineStart) {
                eventBytes = 0; // an empty line ends an event
            }
            atLineStart = true;
        } else if (next != '\r') {
            atLineStart = false;
        }
        if (++bytes > BYTES_MAX || eventBytes > EVENT_MAX_BYTES) {
            throw new IOException("the endpoint sends more than the agent can hold");
        }
    }
}
