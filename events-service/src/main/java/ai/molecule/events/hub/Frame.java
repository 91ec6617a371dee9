package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An event as it is sent: each form of its bytes is built at most once, however many subscribers there are. */
public final class Frame {

    /** Longer messages are sent in fragments: what clients accept at once by default. */
    private static final int FRAGMENT_MAX_BYTES = 64 * 1024;

    private static final int TEXT = 0x01;
    private static final int CONTINUATION = 0x00;
    private static final int FINAL = 0x80;

    private final Event event;
    private final long arrivedAtNanos = System.nanoTime();
    private byte @Nullable [] socketBytes;
    private byte @Nullable [] streamBytes;

    public Frame(Event event) {
        this.event = event;
    }

    public Event event() {
        return event;
    }

    long arrivedAtNanos() {
        return arrivedAtNanos;
    }

    /** The position; 0 for an ephemeral event. */
    long seq() {
        Long seq = event.seq();
        return seq == null ? 0 : seq;
    }

    /** One WebSocket text message as a server sends it: unmasked (RFC 6455, section 5.2). */
    byte[] socketBytes() {
        if (socketBytes == null) {
            socketBytes = inFragments(Json.text(event.toEnvelope()).getBytes(StandardCharsets.UTF_8));
        }
        return socketBytes;
    }

    /** One server-sent event, with the position as its id when it has one. */
    byte[] streamBytes() {
        if (streamBytes == null) {
            var data = Json.object()
                    .put("type", event.type())
                    .put("timestamp", event.timestamp().toEpochMilli());
            data.set("data", event.payload());
            String id = event.seq() == null ? "" : "id: " + event.seq() + "\n";
            streamBytes = (id + "data: " + Json.text(data) + "\n\n").getBytes(StandardCharsets.UTF_8);
        }
        return streamBytes;
    }

    private static byte[] inFragments(byte[] text) {
        var message = new ByteArrayOutputStream(text.length + 10);
        int from = 0;
        do {
            int length = Math.min(FRAGMENT_MAX_BYTES, text.length - from);
            boolean last = from + length == text.length;
            message.write((from == 0 ? TEXT : CONTINUATION) | (last ? FINAL : 0));
            writeLength(message, length);
            message.write(text, from, length);
            from += length;
        } while (from < text.length);
        return message.toByteArray();
    }

    private static void writeLength(ByteArrayOutputStream message, int length) {
        if (length < 126) {
            message.write(length);
            return;
        }
        int bytes = length < 65_536 ? 2 : 8;
        message.write(bytes == 2 ? 126 : 127);
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            message.write((int) ((long) length >>> shift));
        }
    }
}
