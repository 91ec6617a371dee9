package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.bridge.A2aErrorCode;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import ai.molecule.proxy.streams.EventText;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a JSON-RPC request asks for, as far as the proxy must know before it is let in.
 *
 * @param id as JSON text, {@code null} when there is none
 * @param method empty when it is absent or no string
 * @param taskId the member {@code id} of its params; null when there is none that is a string
 */
record Rpc(String id, String method, @Nullable String taskId) {

    private static final Shape REQUEST = Shape.of("id", "method", "params.id");
    private static final Shape ERROR = Shape.of("error.code");

    /** Empty when the body is no JSON object. */
    static Optional<Rpc> in(byte[] body) {
        if (!JsonScanner.startsAsObject(body)) {
            return Optional.empty();
        }
        return JsonScanner.scan(body, REQUEST).map(found -> {
            var id = found.at(0);
            var method = string(found.at(1), body);
            return new Rpc(id == null ? "null" : id.in(body), method == null ? "" : method, string(found.at(2), body));
        });
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
        return JsonScanner.scan(answer, ERROR)
                .map(found -> found.at(0))
                .filter(code -> code.in(answer).equals("-32001"))
                .isPresent();
    }

    private static @Nullable String string(@Nullable Span span, byte[] body) {
        return span == null || !span.startsWith(body, '"') ? null : span.stringIn(body);
    }
}
