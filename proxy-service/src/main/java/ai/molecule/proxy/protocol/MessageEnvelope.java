package ai.molecule.proxy.protocol;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import com.fasterxml.jackson.databind.node.TextNode;
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
 * @param taskId the task that the message goes on with, null the same way; so is {@code contextId}
 */
public record MessageEnvelope(
        byte[] bytes,
        String id,
        String method,
        @Nullable String messageId,
        @Nullable String taskId,
        @Nullable String contextId) {

    private static final int JSONRPC = 0;
    private static final int ID = 1;
    private static final int METHOD = 2;
    private static final int PARAMS = 3;
    private static final int MESSAGE = 4;
    private static final int MESSAGE_ID = 5;
    private static final int TASK_ID = 6;
    private static final int CONTEXT_ID = 7;
    private static final Shape SHAPE = Shape.of(
            "jsonrpc",
            "id",
            "method",
            "params",
            "params.message",
            "params.message.messageId",
            "params.message.taskId",
            "params.message.contextId");

    /** Fails with INVALID {@code invalid JSON} when the body is not one JSON object. */
    public static MessageEnvelope normalise(byte[] body, Supplier<UUID> ids) {
        if (!JsonScanner.startsAsObject(body)) {
            throw ApiError.invalid("invalid JSON");
        }
        var found = JsonScanner.scan(body, SHAPE).orElseThrow(() -> ApiError.invalid("invalid JSON"));
        var method = found.at(METHOD);
        var message = found.at(MESSAGE);
        var given = found.at(MESSAGE_ID);
        String methodName = method != null && method.startsWith(body, '"') ? method.stringIn(body) : "";
        boolean lacksId = message != null && message.startsWith(body, '{') && given == null;
        String made = lacksId && !Protocol.V1_0.owns(methodName) // whose agents refuse a message without one
                ? ids.get().toString()
                : null;
        String named = string(given, body);
        String messageId = named == null ? made : named;
        String taskId = string(found.at(TASK_ID), body);
        String contextId = string(found.at(CONTEXT_ID), body);
        if (found.at(JSONRPC) != null) {
            var splice = new Splice(body).copy(0, message, made).rest(body.length);
            return new MessageEnvelope(
                    splice.bytes(), textOr(found.at(ID), body), methodName, messageId, taskId, contextId);
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
        return new MessageEnvelope(splice.text("}").bytes(), id, methodName, messageId, taskId, contextId);
    }

    /** The messageId in a request; null when it has none that is a string. */
    public static @Nullable String idIn(byte[] request) {
        return JsonScanner.scan(request, SHAPE)
                .map(found -> string(found.at(MESSAGE_ID), request))
                .orElse(null);
    }

    /** Made to go on with a task: where the message names none, that is put in front of its members. */
    public MessageEnvelope goingOnWith(String task) {
        var message =
                JsonScanner.scan(bytes, SHAPE).map(found -> found.at(MESSAGE)).orElse(null);
        if (message == null || !message.startsWith(bytes, '{') || taskId != null) {
            return this;
        }
        String member = "\"taskId\":" + Json.text(TextNode.valueOf(task)) + ",";
        int at = message.start() + 1; // a message with a contextId has a member already
        var out = new ByteArrayOutputStream(bytes.length + member.length());
        out.write(bytes, 0, at);
        out.writeBytes(member.getBytes(StandardCharsets.UTF_8));
        out.write(bytes, at, bytes.length - at);
        return new MessageEnvelope(out.toByteArray(), id, method, messageId, task, contextId);
    }

    private static @Nullable String string(@Nullable Span span, byte[] body) {
        return span == null || !span.startsWith(body, '"') ? null : span.stringIn(body);
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
