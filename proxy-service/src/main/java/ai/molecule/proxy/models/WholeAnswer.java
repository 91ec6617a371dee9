package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the usage in an answer that passes by, whatever its size: no more of it is kept than one of its texts, at most 20 Mi characters.
 * What is no JSON has none.
 */
final class WholeAnswer {

    private static final JsonFactory JSON = new JsonFactory();
    private static final Set<String> USAGE = Set.of("usage", "usageMetadata");

    private final JsonParser parser;
    private final ByteArrayFeeder feeder;
    private int depth;
    private boolean list;
    private boolean broken;
    private @Nullable String name;
    private @Nullable TokenBuffer taking;
    private int takingDepth;
    private @Nullable JsonNode usage;
    private long bytes;

    WholeAnswer() {
        try {
            parser = JSON.createNonBlockingByteArrayParser();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        feeder = (ByteArrayFeeder) parser.getNonBlockingInputFeeder();
    }

    void feed(Buffer chunk) {
        bytes += chunk.length();
        if (broken) {
            return;
        }
        try {
            byte[] copy = chunk.getBytes();
            feeder.feedInput(copy, 0, copy.length);
            for (var token = parser.nextToken();
                    token != null && token != JsonToken.NOT_AVAILABLE;
                    token = parser.nextToken()) {
                take(token);
            }
        } catch (IOException | IllegalStateException noJson) {
            broken = true;
        }
    }

    /** The last one told, of a list the last element's; null when there was none. */
    @Nullable
    JsonNode usage() {
        return usage;
    }

    long bytes() {
        return bytes;
    }

    private void take(JsonToken token) throws IOException {
        if (token.isStructStart()) {
            list |= depth == 0 && token == JsonToken.START_ARRAY;
            depth++;
            if (taking == null && name != null && token == JsonToken.START_OBJECT && depth == (list ? 3 : 2)) {
                taking = new TokenBuffer(parser);
                takingDepth = depth;
            }
        }
        var copying = taking;
        if (copying != null) {
            copying.copyCurrentEvent(parser);
        }
        name = token == JsonToken.FIELD_NAME && USAGE.contains(parser.currentName()) ? parser.currentName() : null;
        if (token.isStructEnd()) {
            if (copying != null && depth == takingDepth) {
                usage = Json.MAPPER.readTree(copying.asParser());
                taking = null;
            }
            depth--;
        }
    }
}
