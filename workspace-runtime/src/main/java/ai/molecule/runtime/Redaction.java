package ai.molecule.runtime;

import ai.molecule.sdk.CredentialShapes;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes secrets out of what is kept: the values of this process's own, and whatever looks like one. {@code [REDACTED:LABEL]} stands where they were. */
final class Redaction {

    private static final Pattern SECRET_NAME = Pattern.compile("(?i).*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL).*");
    private static final int SECRET_MIN_CHARS = 8;
    private static final Map<Pattern, String> SHAPES = shapes();

    private final Map<String, String> labelByValue = new LinkedHashMap<>();

    private Redaction(Map<String, String> environment) {
        environment.forEach((name, value) -> {
            if (SECRET_NAME.matcher(name).matches() && value.strip().length() >= SECRET_MIN_CHARS) {
                labelByValue.put(value.strip(), name);
            }
        });
    }

    /** @param environment whose variables with names like a secret's hold secrets */
    static Redaction of(Map<String, String> environment) {
        return new Redaction(environment);
    }

    /** The same, with every text in it without secrets. */
    JsonNode of(JsonNode node) {
        if (node.isTextual()) {
            return JsonNodeFactory.instance.textNode(of(node.textValue()));
        }
        if (node instanceof ObjectNode object) {
            ObjectNode clean = JsonNodeFactory.instance.objectNode();
            object.properties().forEach(field -> clean.set(field.getKey(), of(field.getValue())));
            return clean;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode clean = JsonNodeFactory.instance.arrayNode();
            array.forEach(element -> clean.add(of(element)));
            return clean;
        }
        return node;
    }

    String of(String text) {
        String clean = text;
        for (var secret : labelByValue.entrySet()) {
            clean = clean.replace(secret.getKey(), mark(secret.getValue()));
        }
        for (var shape : SHAPES.entrySet()) {
            String mark = mark(shape.getValue());
            clean = shape.getKey()
                    .matcher(clean)
                    .replaceAll(found -> Matcher.quoteReplacement(isSecret(found) ? mark : found.group()));
        }
        return clean;
    }

    private static boolean isSecret(MatchResult found) {
        return found.groupCount() == 0 || found.group(1) != null;
    }

    private static String mark(String label) {
        return "[REDACTED:" + label + "]";
    }

    private static Map<Pattern, String> shapes() {
        Map<Pattern, String> shapes = new LinkedHashMap<>();
        shapes.put(Pattern.compile("sk-ant-[A-Za-z0-9_-]{20,}"), "ANTHROPIC_KEY");
        CredentialShapes.ALL.forEach(shape -> shapes.put(Pattern.compile(shape.regex()), shape.label()));
        shapes.put(Pattern.compile(CredentialShapes.PRIVATE_KEY), "PRIVATE_KEY");
        // Takes what follows an eyJ whole, a token or not: a text of nothing else would be read to its end from each of
        // them.
        shapes.put(
                Pattern.compile("eyJ(?:[A-Za-z0-9_-]{10,}+(\\.[A-Za-z0-9_-]{10,}+\\.[A-Za-z0-9_-]{10,}+)?+)?+"), "JWT");
        shapes.put(Pattern.compile("(?i)\\bBearer\\s+[A-Za-z0-9._~+/=-]{16,}"), "BEARER");
        return shapes;
    }
}
