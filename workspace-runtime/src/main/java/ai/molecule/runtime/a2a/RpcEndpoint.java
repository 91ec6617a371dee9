package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** JSON-RPC over HTTP, in either version of the protocol. */
final class RpcEndpoint {

    private static final WireForm OLDER = new WireForm03(Dialect.PLATFORM);

    private final A2aMethods methods;
    private final OutcomeWriter writer;
    private final WireForm10 form10;

    RpcEndpoint(A2aMethods methods, OutcomeWriter writer, WireForm10 form10) {
        this.methods = methods;
        this.writer = writer;
        this.form10 = form10;
    }

    void call(HttpServerRequest http, Buffer body) {
        String version = ProtocolVersion.named(http);
        WireForm form = ProtocolVersion.is10(version) ? form10 : OLDER;
        JsonNode id = Json.object().nullNode();
        Operation operation;
        RpcRequest request;
        try {
            JsonNode json = Json.parse(body);
            id = RpcRequest.idOf(json);
            request = RpcRequest.parse(json);
            String method = request.method();
            form = ProtocolVersion.is10(version, method)
                    ? form10
                    : new WireForm03(Dialect.of(request.params(), !version.isEmpty()));
            operation = form.operation(method).orElseThrow(() -> RpcError.methodNotFound(method));
        } catch (RpcError error) {
            OutcomeWriter.refuse(http.response(), new AnswerEnvelope.OfRpc(id, form, false), error);
            return;
        }
        WireForm spoken = form;
        writer.write(http, new AnswerEnvelope.OfRpc(id, form, operation.streams()), () -> {
            if (spoken == form10) {
                MediaTypes.requireJson(http);
            }
            return methods.call(operation, request.params(), spoken, OutcomeWriter.senderOf(http));
        });
    }
}
