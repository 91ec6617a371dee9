package ai.molecule.proxy.streams;

import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The text of one server-sent event: without the id its agent gave it, with ours, for the request that reads it. */
public final class EventText {

    private static final Shape RPC_ID = Shape.of("id");
    private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ID = "id".getBytes(StandardCharsets.US_ASCII);

    private EventText() {}

    /** Its lines without {@code id:} and comments, ended by a blank one; empty when it has no data, which makes it no event. */
    static Buffer withoutId(Buffer event) {
        byte[] bytes = event.getBytes();
        var kept = Buffer.buffer(bytes.length + 1);
        boolean data = false;
        for (int start = 0; start < bytes.length; ) {
            int end = endOfLine(bytes, start);
            data |= isField(bytes, start, end, DATA);
            if (end > start && bytes[start] != ':' && !isField(bytes, start, end, ID)) {
                kept.appendBytes(bytes, start, end - start).appendByte((byte) '\n');
            }
            start = afterLine(bytes, end);
        }
        return data ? kept.appendByte((byte) '\n') : Buffer.buffer();
    }

    /** The data of an event, its lines joined. */
    public static byte[] data(Buffer event) {
        byte[] bytes = event.getBytes();
        var data = new ByteArrayOutputStream(bytes.length);
        for (int start = 0; start < bytes.length; ) {
            int end = endOfLine(bytes, start);
            if (isField(bytes, start, end, DATA)) {
                int from = Math.min(end, start + DATA.length + 1);
                int behindBlank = from < end && bytes[from] == ' ' ? from + 1 : from;
                data.write(bytes, behindBlank, end - behindBlank);
                data.write('\n');
            }
            start = afterLine(bytes, end);
        }
        return Arrays.copyOf(data.toByteArray(), Math.max(0, data.size() - 1));
    }

    static Buffer ofData(byte[] data) {
        var event = Buffer.buffer(data.length + 16).appendString("data: ");
        appendData(event, data, 0, data.length);
        return event.appendString("\n\n");
    }

    public static Buffer ofData(String json) {
        return Buffer.buffer("data: " + json + "\n\n");
    }

    /** The event with another JSON-RPC id in its data, which stands last then; as it is when the data has none. */
    static Buffer answering(Buffer event, String rpcId) {
        byte[] data = data(event);
        var id = JsonScanner.scan(data, RPC_ID).map(found -> found.at(0)).orElse(null);
        if (id == null) {
            return event;
        }
        var answering = withoutData(event.getBytes()).appendString("data: ");
        appendData(answering, data, 0, id.start());
        answering.appendString(rpcId);
        appendData(answering, data, id.end(), data.length);
        return answering.appendString("\n\n");
    }

    static String error(String rpcId, String reason, String message) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + rpcId + ",\"error\":{\"code\":-32603,\"message\":\"" + message
                + "\",\"data\":{\"reason\":\"" + reason + "\"}}}";
    }

    /** Whether the line is that field: its name alone, or with a colon. */
    private static boolean isField(byte[] bytes, int start, int end, byte[] name) {
        int afterName = start + name.length;
        return end >= afterName
                && Arrays.equals(bytes, start, afterName, name, 0, name.length)
                && (end == afterName || bytes[afterName] == ':');
    }

    private static int endOfLine(byte[] bytes, int start) {
        int end = start;
        while (end < bytes.length && bytes[end] != '\n' && bytes[end] != '\r') {
            end++;
        }
        return end;
    }

    private static int afterLine(byte[] bytes, int end) {
        boolean two = end + 1 < bytes.length && bytes[end] == '\r' && bytes[end + 1] == '\n';
        return end + (two ? 2 : 1);
    }

    private static Buffer withoutData(byte[] event) {
        var kept = Buffer.buffer(event.length + 32);
        for (int start = 0; start < event.length; ) {
            int end = endOfLine(event, start);
            if (end > start && !isField(event, start, end, DATA)) {
                kept.appendBytes(event, start, end - start).appendByte((byte) '\n');
            }
            start = afterLine(event, end);
        }
        return kept;
    }

    /** A line end within the data begins another line of it. */
    private static void appendData(Buffer event, byte[] data, int from, int to) {
        for (int start = from; start < to; ) {
            int end = start;
            while (end < to && data[end] != '\n') {
                end++;
            }
            event.appendBytes(data, start, end - start);
            if (end < to) {
                event.appendString("\ndata: ");
            }
            start = end + 1;
        }
    }
}
