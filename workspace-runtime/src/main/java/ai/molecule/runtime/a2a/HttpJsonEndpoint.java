package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BiConsumer;

/** HTTP+JSON, which is of 1.0 here: a path for each operation, and the parameters in the path, the query or the body. */
final class HttpJsonEndpoint {

    /** The parameters that a query may have, and how each is written in it. */
    private static final Map<String, QueryType> IN_QUERIES = Map.of(
            "tenant", QueryType.TEXT,
            "contextId", QueryType.TEXT,
            "status", QueryType.TEXT,
            "pageToken", QueryType.TEXT,
            "statusTimestampAfter", QueryType.TEXT,
            "pageSize", QueryType.NUMBER,
            "historyLength", QueryType.NUMBER,
            "includeArtifacts", QueryType.TRUTH);

    private enum QueryType {
        TEXT,
        NUMBER,
        TRUTH;

        /** What is not of the type stays a text, which whoever reads it refuses by its name. */
        void put(ObjectNode params, String name, String value) {
            if (this == NUMBER && value.matches("\\d{1,9}")) {
                params.put(name, Integer.parseInt(value));
            } else if (this == TRUTH && (value.equals("true") || value.equals("false"))) {
                params.put(name, Boolean.parseBoolean(value));
            } else {
                params.put(name, value);
            }
        }
    }

    private final A2aMethods methods;
    private final OutcomeWriter writer;
    private final AnswerEnvelope.OfHttp envelope;

    HttpJsonEndpoint(A2aMethods methods, OutcomeWriter writer, WireForm10 form) {
        this.methods = methods;
        this.writer = writer;
        this.envelope = new AnswerEnvelope.OfHttp(form);
    }

    /** With all its parameters in the path and the query. */
    void call(HttpServerRequest http, Operation operation, String encodedId) {
        ask(http, operation, (params, from) -> {
            IN_QUERIES.forEach((name, type) -> {
                String value = from.getParam(name);
                if (value != null && !value.isEmpty()) {
                    type.put(params, name, value);
                }
            });
            putId(params, encodedId);
        });
    }

    /** With its parameters in the body; one without an object in it says nothing. */
    void call(HttpServerRequest http, Operation operation, String encodedId, Buffer body) {
        ask(http, operation, (params, from) -> {
            MediaTypes.requireJson(http);
            if (body.length() > 0) {
                if (!(Json.parse(body) instanceof ObjectNode given)) {
                    throw RpcError.invalidRequest("the body must be a JSON object");
                }
                params.setAll(given);
            }
            putId(params, encodedId);
        });
    }

    private void ask(HttpServerRequest http, Operation operation, BiConsumer<ObjectNode, HttpServerRequest> reader) {
        writer.write(http, envelope, () -> {
            String version = ProtocolVersion.named(http);
            if (!version.isEmpty() && !ProtocolVersion.is10(version)) {
                throw RpcError.versionNotSupported(version);
            }
            ObjectNode params = Json.object();
            reader.accept(params, http);
            return methods.call(operation, params, envelope.form(), OutcomeWriter.senderOf(http));
        });
    }

    private static void putId(ObjectNode params, String encoded) {
        if (encoded.isEmpty()) {
            return;
        }
        try {
            params.put("id", URLDecoder.decode(encoded, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException brokenEscape) {
            throw RpcError.invalidField("id", "is not written as a path has it");
        }
    }
}
