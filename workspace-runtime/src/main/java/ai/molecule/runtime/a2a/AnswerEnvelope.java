package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is around an answer: that of JSON-RPC, or nothing but HTTP. */
sealed interface AnswerEnvelope {

    WireForm form();

    JsonNode result(JsonNode result);

    ObjectNode error(RpcError error);

    /** The HTTP status of an error that is no event. */
    int status(RpcError error);

    /** Whether an error that keeps a stream from beginning is the one event of it. */
    boolean errorIsEvent(RpcError error);

    String contentType();

    /** @param id of the request @param streams whether the answer is a stream */
    record OfRpc(JsonNode id, WireForm form, boolean streams) implements AnswerEnvelope {

        @Override
        public JsonNode result(JsonNode result) {
            return around("result", result);
        }

        @Override
        public ObjectNode error(RpcError error) {
            return around("error", form.error(error));
        }

        @Override
        public int status(RpcError error) {
            return error.rpcStatus();
        }

        /** A busy agent says so in its status, for those who send again later. */
        @Override
        public boolean errorIsEvent(RpcError error) {
            return streams && form.errorsAreEvents() && !error.isBusy();
        }

        @Override
        public String contentType() {
            return "application/json";
        }

        private ObjectNode around(String member, JsonNode content) {
            ObjectNode response = Json.object().put("jsonrpc", "2.0");
            response.set("id", id);
            response.set(member, content);
            return response;
        }
    }

    /** Of HTTP+JSON, whose errors are {@code google.rpc.Status}. */
    record OfHttp(WireForm form) implements AnswerEnvelope {

        @Override
        public JsonNode result(JsonNode result) {
            return result;
        }

        @Override
        public ObjectNode error(RpcError error) {
            ObjectNode json = Json.object();
            ObjectNode status = json.putObject("error")
                    .put("code", error.httpStatus())
                    .put("status", error.isBusy() ? "UNAVAILABLE" : error.kind().status())
                    .put("message", error.message());
            ArrayNode details = error.details();
            status.set("details", details);
            return json;
        }

        @Override
        public int status(RpcError error) {
            return error.httpStatus();
        }

        @Override
        public boolean errorIsEvent(RpcError error) {
            return false;
        }

        @Override
        public String contentType() {
            return "application/a2a+json";
        }
    }
}
