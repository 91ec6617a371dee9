package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.mcpclient.McpFailure.Kind;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The data of server-sent events, within bounds. Names, ids and comments are passed over. */
final class EventStream {

    private static final String DATA = "data:";

    private final InputStream in;
    private final int eventMaxBytes;
    private final int streamMaxBytes;
    private int bytes;

    EventStream(InputStream in, int eventMaxBytes, int streamMaxBytes) {
        this.in = new BufferedInputStream(in);
        this.eventMaxBytes = eventMaxBytes;
        this.streamMaxBytes = streamMaxBytes;
    }

    /** Of the next event that has any; empty at the end. @throws McpFailure when an event or the stream is too large */
    Optional<byte[]> next() throws IOException {
        var data = new ByteArrayOutputStream();
        for (var line = line(); line.isPresent(); line = line()) {
            String text = line.get();
            if (text.isEmpty() && data.size() > 0) {
                return Optional.of(data.toByteArray());
            }
            if (text.startsWith(DATA)) {
                data.writeBytes(text.substring(DATA.length()).getBytes(StandardCharsets.UTF_8));
                data.write('\n');
            }
            if (data.size() > eventMaxBytes) {
                throw new McpFailure(Kind.REFUSED, "sent a message of more than 2 MiB, which was left unread");
            }
        }
        return data.size() > 0 ? Optional.of(data.toByteArray()) : Optional.empty();
    }

    /** Without its end, which may be either kind; empty at the end of the stream. */
    private Optional<String> line() throws IOException {
        var line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return Optional.empty();
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.write(next);
            }
            if (++bytes > streamMaxBytes || line.size() > eventMaxBytes) {
                throw new McpFailure(Kind.REFUSED, "flooded its answer, which was left unread");
            }
        }
        bytes++;
        return Optional.of(line.toString(StandardCharsets.UTF_8));
    }
}
