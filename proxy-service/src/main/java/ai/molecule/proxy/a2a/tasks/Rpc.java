package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.bridge.A2aErrorCode;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.push.PushService;
import ai.molecule.proxy.streams.EventText;
import io.vertx.core.buffer.Buffer;
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
 */
record Rpc(
        String id,
        String method,
        @Nullable String taskId,
        @Nullable String goesOnWith,
        @Nullable String messageId,
        boolean bringsReceiver) {

    private static final Shape REQUEST = Shape.of(
            "id",
            "method",
            "params.id",
            "params.configuration." + PushService.memberOf(Protocol.V0_3),
            "params.configuration." + PushService.memberOf(Protocol.V1_0),
            "params.message.taskId",
            "params.messageId");
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
                    found.at(3) != null || found.at(4) != null);
        });
    }

    /** The task that it is about; null for none. */
    @Nullable
    String about() {
        return taskId == null ? goesOnWith : taskId;
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

    private static @Nullable String string(@Nullable Span span, byte[] body) {
        return span == null || !span.startsWith(body, '"') ? null : span.stringIn(body);
    }
}
