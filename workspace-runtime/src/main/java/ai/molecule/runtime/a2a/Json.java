package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON trees in and out, with bounds on what a hostile body can make of one MiB. */
final class Json {

    /** Far more than a message with its history has, and a tree of so many still fits beside others. */
    private static final long TOKENS_MAX = 20_000;

    private static final int NESTING_MAX = 100;

    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxTokenCount(TOKENS_MAX)
                            .maxNestingDepth(NESTING_MAX)
                            .build())
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES) // costs more the more names there are
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8) // an emoji as itself
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final ObjectMapper OWN = new ObjectMapper();

    private Json() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** @throws RpcError -32700 when it is not JSON, -32600 when it is but exceeds the bounds */
    static JsonNode parse(Buffer body) {
        try {
            JsonNode json = MAPPER.readTree(body.getBytes());
            if (json.isMissingNode()) {
                throw RpcError.parseError();
            }
            return json;
        } catch (StreamConstraintsException e) {
            throw RpcError.invalidRequest("the body is nested too deeply or made of too many pieces");
        } catch (IOException e) {
            throw RpcError.parseError();
        }
    }

    /** What this agent wrote itself: it was within bounds when it came, and what was added to it counts no more. */
    static JsonNode own(String json) {
        try {
            return OWN.readTree(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e); // it was written by a mapper
        }
    }

    static Buffer write(JsonNode json) {
        try {
            return Buffer.buffer(MAPPER.writeValueAsBytes(json));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e); // a tree is always representable
        }
    }
}
