package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** HTTP+JSON of A2A 1.0 around JSON-RPC: parameters go in, results come out bare, errors as {@code google.rpc.Status}. */
public final class HttpJsonForm {

    public static final String CONTENT_TYPE = "application/a2a+json";

    /** Of every request made of HTTP+JSON, so that no answer has to be told for another. */
    public static final String RPC_ID = "\"1\"";

    /** @param body without what JSON-RPC has around a result */
    public record Answer(int status, byte[] body) {}

    private HttpJsonForm() {}

    /** @param params JSON text, which stays as it is */
    public static byte[] request(String method, byte[] params) {
        String head = "{\"jsonrpc\":\"2.0\",\"id\":" + RPC_ID + ",\"method\":\"" + method + "\",\"params\":";
        var request = new ByteArrayOutputStream(head.length() + params.length + 1);
        request.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        request.writeBytes(params);
        request.write('}');
        return request.toByteArray();
    }

    /** What is no answer of JSON-RPC stays as it is. */
    public static Answer answer(byte[] rpcAnswer) {
        JsonNode answer;
        try {
            answer = Json.parse(rpcAnswer);
        } catch (IOException notJson) {
            return new Answer(200, rpcAnswer);
        }
        if (answer.path("error").isObject()) {
            JsonNode error = answer.get("error");
            return new Answer(
                    codeOf(error).httpStatus(), Json.bytes(Json.object().set("error", status(error))));
        }
        return new Answer(200, answer.has("result") ? Json.bytes(answer.get("result")) : rpcAnswer);
    }

    private static A2aErrorCode codeOf(JsonNode error) {
        return A2aErrorCode.of(error.path("code").asInt()).orElse(A2aErrorCode.INTERNAL);
    }

    private static ObjectNode status(JsonNode error) {
        var code = codeOf(error);
        ObjectNode status = Json.object()
                .put("code", code.httpStatus())
                .put("status", code.status())
                .put("message", error.path("message").asText());
        JsonNode typed = ErrorDetails.to10(error).path("data");
        return status.set("details", typed.isArray() ? typed : Json.MAPPER.createArrayNode());
    }
}
