package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;

/**
 * Bodies as trees, which is what translating needs and passing does not. A tree takes many times the bytes that it is read from where
 * these are all brackets, so it is bounded by its parts too.
 */
final class TreeReader {

    /** A conversation of a day has tens of thousands; as a tree they take about 50 MiB at most, and one is read at a time. */
    static final long PARTS_MAX = 500_000;

    private static final int DEPTH_MAX = 200;
    private static final int STRING_MAX_CHARS = 32 << 20;

    private static final JsonFactory BOUNDED = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxTokenCount(PARTS_MAX)
                    .maxStringLength(STRING_MAX_CHARS)
                    .build())
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private TreeReader() {}

    /** Empty for what is no object, or too large a one. */
    static Optional<ObjectNode> read(byte[] body) {
        try (var parser = BOUNDED.createParser(body)) {
            return Json.MAPPER.readTree(parser) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (IOException noJson) {
            return Optional.empty();
        }
    }
}
