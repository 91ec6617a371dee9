package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Writes all that a request allows, and is as lenient as any provider: it takes names in any case, numbers in any form, what is no limit for
 * none, and passes by what its protocol does not know.
 */
final class LavishProvider {

    /** What it writes where nothing limits it. */
    static final long ANSWER = 100_000;

    private LavishProvider() {}

    /** Tokens of output, of all answers together. */
    static long writes(ModelOperation operation, String outputLimit, byte[] request) {
        var body = read(request);
        return switch (operation) {
            case CHAT -> limit(body, outputLimit) * Math.max(count(body, "n"), count(body, "best_of"));
            case MESSAGES -> limit(body, "max_tokens");
            case RESPONSES -> limit(body, "max_output_tokens");
            case GENERATE, STREAM_GENERATE -> {
                var config = Stream.of("generationConfig", "generation_config")
                        .map(name -> member(body, name))
                        .filter(JsonNode::isObject)
                        .findFirst()
                        .orElse(MissingNode.getInstance());
                long most = Math.min(limit(config, "maxOutputTokens"), limit(config, "max_output_tokens"));
                yield most * Math.max(count(config, "candidateCount"), count(config, "candidate_count"));
            }
            case EMBEDDINGS, COUNT_MESSAGE_TOKENS, COUNT_TOKENS -> 0;
        };
    }

    private static long limit(JsonNode body, String name) {
        long said = (long) number(member(body, name));
        return said < 1 ? ANSWER : Math.min(said, ANSWER);
    }

    private static long count(JsonNode body, String name) {
        return Math.max(1, (long) number(member(body, name)));
    }

    private static double number(JsonNode value) {
        try {
            return value.isNumber() ? value.doubleValue() : Double.parseDouble(value.asText());
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    private static JsonNode member(JsonNode object, String name) {
        JsonNode found = MissingNode.getInstance();
        for (var member : object.properties()) {
            if (member.getKey().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                found = member.getValue();
            }
        }
        return found;
    }

    private static JsonNode read(byte[] body) {
        try {
            return Json.MAPPER.readTree(body);
        } catch (IOException noJson) {
            throw new AssertionError(new String(body, StandardCharsets.UTF_8), noJson);
        }
    }
}
