package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.bridge.A2aErrorCode;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.push.PushService;
import ai.molecule.proxy.streams.EventText;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a JSON-RPC request asks for, as far as the proxy must know before it is let in.
 *
 * @param id as JSON text, {@code null} when there is none
 * @param method empty when it is absent or no string
 * @param bringsReceiver whether a message says who is to be told of its task
 * @param taskId the member {@code id} of its params; null when there is none that is a string
 * @param goesOnWith the task that its message goes on with
 * @param messageId the message whose task it asks for
 * @param isEnveloped whether it has a member {@code jsonrpc}
 * @param lacksMessageId whether its message has no {@code messageId}
 * @param isPublished whether the body alone shows a client of the published protocol (decision 31)
 */
record Rpc(
        String id,
        String method,
        @Nullable String taskId,
        @Nullable String goesOnWith,
        @Nullable String messageId,
        boolean bringsReceiver,
        boolean isEnveloped,
        boolean lacksMessageId,
        boolean isPublished) {

    private static final Shape REQUEST = Shape.of(
            "id",
            "method",
            "params.id",
            "params.configuration." + PushService.memberOf(Protocol.V0_3),
            "params.configuration." + PushService.memberOf(Protocol.V1_0),
            "params.message.taskId",
            "params.messageId",
            "jsonrpc",
            "params.message",
            "params.message.messageId",
            "params.message.kind",
            "params.configuration");
    private static final Shape ERROR = Shape.of("error.code");

    /** Empty when the body is no JSON object. */
    static Optional<Rpc> in(byte[] body) {
        if (!JsonScanner.startsAsObject(body)) {
            return Optional.empty();
        }
        return JsonScanner.scan(body, REQUEST).map(found -> {
            var id = found.at(0);
            var method = string(found.at(1), body);
            return new Rpc(
                    id == null ? "null" : id.in(body),
                    method == null ? "" : method,
                    string(found.at(2), body),
                    string(found.at(5), body),
                    string(found.at(6), body),
                    found.at(3) != null || found.at(4) != null,
                    found.at(7) != null,
                    isObject(found.at(8), body) && lacksId(method, found.at(9), body),
                    "message".equals(string(found.at(10), body)) || !isAbsent(found.at(11), body));
        });
    }

    /** In 1.0 what is empty is not said. */
    private static boolean lacksId(@Nullable String method, @Nullable Span messageId, byte[] body) {
        if (method == null || !Protocol.V1_0.owns(method)) {
            return isAbsent(messageId, body);
        }
        String id = string(messageId, body);
        return id == null || id.isEmpty();
    }

    /** The task that it is about; null for none. */
    @Nullable
    String about() {
        return taskId == null ? goesOnWith : taskId;
    }

    /**
     * What a body that is no request is answered where its sender speaks JSON-RPC: HTTP status 400, in the shape of that protocol; empty
     * where it is one of the platform's own.
     *
     * @param namesVersion whether the request says in which version of A2A it is
     */
    static Optional<A2aAnswer> unreadable(byte[] body, boolean namesVersion) {
        if (!namesVersion && !new String(body, StandardCharsets.UTF_8).contains("\"jsonrpc\"")) {
            return Optional.empty();
        }
        String error = JsonScanner.isJson(body)
                ? "{\"code\":-32600,\"message\":\"one request of JSON-RPC 2.0 is required\"}"
                : "{\"code\":-32700,\"message\":\"invalid JSON\"}";
        return Optional.of(new A2aAnswer.Whole(400, Buffer.buffer(text("null", "error", error))));
    }

    /** Why a request that can be read is none of the version that it says it is; empty when nothing is wrong. */
    Optional<A2aAnswer> flaw(Protocol protocol, boolean namesVersion) {
        if (protocol.owns(method) && protocol == Protocol.V1_0 && namesVersion && !isEnveloped) {
            return Optional.of(refused(protocol, A2aErrorCode.INVALID_REQUEST, "", "jsonrpc must be 2.0"));
        }
        boolean published = protocol.owns(method) && protocol == Protocol.V1_0
                || protocol == Protocol.V0_3 && (namesVersion || isPublished);
        return published && lacksMessageId && isEnveloped
                ? Optional.of(refused(
                        protocol, A2aErrorCode.INVALID_PARAMS, "message.messageId", "message.messageId is required"))
                : Optional.empty();
    }

    private A2aAnswer refused(Protocol protocol, A2aErrorCode code, String field, String why) {
        return new A2aAnswer.Whole(200, Buffer.buffer(Bridge.error(id, protocol, code, field, why)));
    }

    /** A JSON-RPC answer under 200. */
    static A2aAnswer.Whole answer(String id, String member, String json) {
        return new A2aAnswer.Whole(200, Buffer.buffer(text(id, member, json)));
    }

    private static String text(String id, String member, String json) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"" + member + "\":" + json + "}";
    }

    static A2aAnswer taskNotFound(String id) {
        return answer(id, "error", "{\"code\":-32001,\"message\":\"Task not found\"}");
    }

    /** Who follows a task that is over is told so, in 1.0, as the one event of the stream. */
    static A2aAnswer over(String rpcId, String taskId) {
        String message = "task " + taskId + " is over and cannot be followed, get it instead";
        var error = Json.object()
                .put("code", A2aErrorCode.UNSUPPORTED_OPERATION.code())
                .put("message", message);
        error.putArray("data")
                .addObject()
                .put("@type", "type.googleapis.com/google.rpc.ErrorInfo")
                .put("reason", A2aErrorCode.UNSUPPORTED_OPERATION.name())
                .put("domain", "a2a-protocol.org");
        return new A2aAnswer.NoStream(
                EventText.ofData(text(rpcId, "error", Json.text(error))).toString());
    }

    /** The JSON-RPC error -32009 as 1.0 words it; {@code named} is repeated when it is short enough to be a version. */
    static A2aAnswer versionNotSupported(String rpcId, String named) {
        String version = named.matches("[0-9.]{1,16}") ? named : "of that version";
        var error = Json.object()
                .put("code", -32009)
                .put("message", "A2A " + version + " is not supported, 0.3 and 1.0 are");
        var info = error.putArray("data")
                .addObject()
                .put("@type", "type.googleapis.com/google.rpc.ErrorInfo")
                .put("reason", "VERSION_NOT_SUPPORTED")
                .put("domain", "a2a-protocol.org");
        info.putObject("metadata").put("supportedVersions", "0.3, 1.0");
        return answer(rpcId, "error", Json.text(error));
    }

    static boolean isTaskNotFound(byte[] answer) {
        return isError(answer, A2aErrorCode.TASK_NOT_FOUND);
    }

    /** Whether an agent says that it has no such operation. */
    static boolean isUnknownMethod(A2aAnswer answer) {
        byte[] body =
                switch (answer) {
                    case A2aAnswer.Whole whole -> whole.body().getBytes();
                    case A2aAnswer.NoStream told -> EventText.data(Buffer.buffer(told.event()));
                    case A2aAnswer.Stream stream -> new byte[0];
                };
        return isError(body, A2aErrorCode.METHOD_NOT_FOUND) || isError(body, A2aErrorCode.UNSUPPORTED_OPERATION);
    }

    private static boolean isError(byte[] answer, A2aErrorCode error) {
        return JsonScanner.scan(answer, ERROR)
                .map(found -> found.at(0))
                .filter(code -> code.in(answer).equals(String.valueOf(error.code())))
                .isPresent();
    }

    private static boolean isObject(@Nullable Span span, byte[] body) {
        return span != null && span.startsWith(body, '{');
    }

    private static boolean isAbsent(@Nullable Span span, byte[] body) {
        return span == null || span.startsWith(body, 'n');
    }

    private static @Nullable String string(@Nullable Span span, byte[] body) {
        return span == null || !span.startsWith(body, '"') ? null : span.stringIn(body);
    }
}
