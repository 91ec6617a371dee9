package ai.molecule.proxy.streams;

import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The text of one server-sent event: without the id its agent gave it, with ours, for the request that reads it. */
final class EventText {

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
    static byte[] data(Buffer event) {
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

    static Buffer ofData(String json) {
        return Buffer.buffer("data: " + json + "\n\n");
    }

    /** The event with another JSON-RPC id in its data; as it is when the data has none, or is split over lines. */
    static Buffer answering(Buffer event, String rpcId) {
        byte[] bytes = event.getBytes();
        int start = startOfData(bytes);
        byte[] data = Arrays.copyOfRange(bytes, start, Math.max(start, bytes.length - 2));
        var id = JsonScanner.scan(data, RPC_ID).map(found -> found.at(0)).orElse(null);
        return id == null
                ? event
                : Buffer.buffer(bytes.length + rpcId.length())
                        .appendBytes(bytes, 0, start + id.start())
                        .appendString(rpcId)
                        .appendBytes(bytes, start + id.end(), bytes.length - start - id.end());
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

    /** Behind the {@code data:} of an event's last line. */
    private static int startOfData(byte[] event) {
        int line = event.length - 2;
        while (line > 0 && event[line - 1] != '\n') {
            line--;
        }
        return Math.min(event.length, line + "data:".length());
    }
}
