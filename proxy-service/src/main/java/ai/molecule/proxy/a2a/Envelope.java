package ai.molecule.proxy.a2a;

import ai.molecule.common.ApiError;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message as the agent gets it: a JSON-RPC request with a messageId (docs/wire/proxy.md). What the sender wrote keeps
 * its bytes; only what is missing is put in.
 *
 * @param bytes the whole request
 * @param id the JSON-RPC id as JSON text, {@code null} when the sender's envelope has none
 * @param method empty when it is absent or no string
 * @param messageId null when the message has none that is a string, or there is no message
 */
record Envelope(
        byte[] bytes, String id, String method, @Nullable String messageId) {

    private static final int JSONRPC = 0;
    private static final int ID = 1;
    private static final int METHOD = 2;
    private static final int PARAMS = 3;
    private static final int MESSAGE = 4;
    private static final int MESSAGE_ID = 5;
    private static final Shape SHAPE =
            Shape.of("jsonrpc", "id", "method", "params", "params.message", "params.message.messageId");

    /** Fails with INVALID {@code invalid JSON} when the body is not one JSON object. */
    static Envelope normalise(byte[] body, Supplier<UUID> ids) {
        if (!JsonScanner.startsAsObject(body)) {
            throw ApiError.invalid("invalid JSON");
        }
        var found = JsonScanner.scan(body, SHAPE).orElseThrow(() -> ApiError.invalid("invalid JSON"));
        var method = found.at(METHOD);
        var message = found.at(MESSAGE);
        var given = found.at(MESSAGE_ID);
        String made = message != null && message.startsWith(body, '{') && given == null
                ? ids.get().toString()
                : null;

        String methodName = method != null && method.startsWith(body, '"') ? method.stringIn(body) : "";
        String messageId = given != null && given.startsWith(body, '"') ? given.stringIn(body) : made;
        if (found.at(JSONRPC) != null) {
            var splice = new Splice(body).copy(0, message, made).rest(body.length);
            return new Envelope(splice.bytes(), textOr(found.at(ID), body), methodName, messageId);
        }
        String id = "\"" + ids.get() + "\"";
        var params = found.at(PARAMS);
        var splice = new Splice(body).text("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":" + textOr(method, body));
        splice.text(",\"params\":");
        if (params == null) {
            splice.text("null");
        } else {
            splice.copy(params.start(), message, made).rest(params.end());
        }
        return new Envelope(splice.text("}").bytes(), id, methodName, messageId);
    }

    private static String textOr(@Nullable Span span, byte[] body) {
        return span == null ? "null" : span.in(body);
    }

    /** The body's own bytes with a few others between them. */
    private static final class Splice {
        private final byte[] body;
        private final ByteArrayOutputStream out;
        private int from;

        Splice(byte[] body) {
            this.body = body;
            this.out = new ByteArrayOutputStream(body.length + 128);
        }

        Splice text(String text) {
            out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
            return this;
        }

        /** From {@code start} up to where the made messageId goes, and that. */
        Splice copy(int start, @Nullable Span message, @Nullable String made) {
            from = start;
            if (message != null && made != null) {
                rest(message.start() + 1);
                boolean empty = isEmptyObject(message);
                text("\"messageId\":\"" + made + (empty ? "\"" : "\","));
            }
            return this;
        }

        Splice rest(int end) {
            out.write(body, from, end - from);
            from = end;
            return this;
        }

        byte[] bytes() {
            return out.toByteArray();
        }

        private boolean isEmptyObject(Span object) {
            int i = object.start() + 1;
            while (body[i] == ' ' || body[i] == '\n' || body[i] == '\r' || body[i] == '\t') {
                i++;
            }
            return body[i] == '}';
        }
    }
}
