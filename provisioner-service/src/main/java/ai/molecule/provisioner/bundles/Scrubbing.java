package ai.molecule.provisioner.bundles;

import ai.molecule.common.json.Json;
import ai.molecule.common.text.CredentialShapes;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes secrets out of texts: the values the platform knows, wherever they stand, and whatever is written like a credential. */
final class Scrubbing {

    private static final String SCRUBBED = "[REDACTED]";

    /** Shorter values stand in many a text by chance. */
    private static final int VALUE_MIN = 6;

    /** {@code API_KEY: value} lines, and the usual shapes of keys. Each alternative is bounded, so that none backtracks far. */
    private static final Pattern SHAPES = Pattern.compile(
            "(?i)(?<=(?:api_key|_token|_secret|password)[\"']?[:=][ ]{0,4}[\"']?)(?![\"'$\\[{])[^\\s\"',}\\]]{6,512}"
                    + "|\\bsk-[A-Za-z0-9_-]{16,512}"
                    + "|(?<![A-Za-z0-9])(?-i:" + CredentialShapes.REGEX + ")"
                    + "|(?<=Bearer )[A-Za-z0-9._~+/=-]{16,1024}");

    private final List<String> values;

    Scrubbing(Collection<String> secrets) {
        this.values = secrets.stream()
                .filter(value -> value.length() >= VALUE_MIN)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    /** Every text in a document, members' names excepted. */
    JsonNode of(JsonNode node) {
        if (node.isTextual()) {
            return Json.MAPPER.getNodeFactory().textNode(of(node.textValue()));
        }
        if (node.isArray()) {
            var array = Json.MAPPER.createArrayNode();
            node.forEach(item -> array.add(of(item)));
            return array;
        }
        if (!node.isObject()) {
            return node;
        }
        var object = Json.object();
        node.properties().forEach(member -> object.set(member.getKey(), of(member.getValue())));
        return object;
    }

    String of(String text) {
        String scrubbed = text;
        for (String value : values) {
            scrubbed = scrubbed.replace(value, SCRUBBED);
        }
        return SHAPES.matcher(scrubbed).replaceAll(Matcher.quoteReplacement(SCRUBBED));
    }
}
